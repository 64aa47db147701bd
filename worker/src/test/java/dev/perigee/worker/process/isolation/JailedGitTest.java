package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.isolation.Home.OfInstallation;
import dev.perigee.worker.process.packages.GitHost;
import dev.perigee.worker.process.packages.PackageException;
import dev.perigee.worker.process.packages.PackagePreparer;
import dev.perigee.worker.process.packages.PackagePreparer.Lookup;
import dev.perigee.worker.process.packages.PackageSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("OPS-18: servers from git, built in real jails")
@NeedsProgram({Program.BUBBLEWRAP, Program.GIT})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailedGitTest {
    private static final String SECRET = "a secret of the server";

    private final JailKind kind;
    @TempDir Path folder;
    private GitHost host;
    private Jails jails;
    private int workers;

    JailedGitTest(JailKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        host = new GitHost(folder);
        // Jails have other users, who must get to the certificate.
        for (var directory : List.of(folder, host.certificate().getParent())) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        reopen(EgressPolicy.of(List.of(host.authority()), List.of()));
        host.commit(
                "server",
                Map.of(
                        "package.json",
                        "{\"name\":\"probe\",\"version\":\"1.0.0\",\"bin\":{\"probe\":\"p.js\"},"
                                + "\"files\":[\"p.js\",\"seen\"],\"scripts\":{\"prepare\":"
                                + "\"(echo BUILT; env; ls -a /package ~; find /home -type f) > seen\"}}",
                        "p.js",
                        """
                        #!/usr/bin/env node
                        const fs = require('fs');
                        console.log(process.argv[1], process.argv.slice(2), process.env.API_KEY);
                        console.log(fs.readFileSync('/package/made/node_modules/probe/seen', 'utf8'));
                        console.log(fs.readdirSync('/package'), 'END');
                        """));
    }

    private void reopen(EgressPolicy egress) throws Exception {
        if (jails != null) {
            jails.close();
        }
        var settings = Map.of("isolation.read-only-paths", host.certificate().toString());
        jails =
                Jails.open(
                        folder.resolve("cache" + workers++),
                        kind.with(settings),
                        EgressGuards.of(egress));
    }

    @AfterEach
    void end() {
        host.close();
        if (jails != null) {
            jails.close();
        }
    }

    private PackagePreparer preparer() {
        return new PackagePreparer(
                PackageSettings.read(PackageSettings.SCHEMA.defaults()),
                jails.isolation,
                jails.owned,
                jails.termination,
                jails.deletion,
                InstantSource.system());
    }

    private ServerProgram server() {
        return new ServerProgram(
                new OfInstallation("one", "a", "i"),
                ServerRuntime.NODE,
                List.of("npx", "-y", "git+" + host.url("server") + "#main", "--x"),
                Map.of("API_KEY", SECRET, "SSL_CERT_FILE", host.certificate().toString()));
    }

    @Test
    @DisplayName("see of their build's jail no secret, and leave no more than the package")
    void builds() throws Exception {
        var preparer = preparer();

        var prepared = preparer.prepare(server(), Lookup.WHEN_DUE, _ -> {});

        var told = jails.start(prepared).told();
        assertThat(told)
                .contains("/package/made/node_modules/.bin/probe [ '--x' ] " + SECRET)
                .contains("BUILT", "HOME=/home/node", "[ 'made' ] END");
        assertThat(told.substring(told.indexOf("BUILT")))
                .doesNotContain(SECRET, "API_KEY", "made\n", "\n.npmrc\n");
        host.close();
        assertThat(preparer.missing(server(), Lookup.WHEN_DUE)).isNull();
        assertThat(preparer.prepare(server(), Lookup.WHEN_MISSING, _ -> {}).mounts())
                .isEqualTo(prepared.mounts());
    }

    @Test
    @DisplayName("come from no host that the egress policy does not allow")
    void obeysTheEgressPolicy() throws Exception {
        reopen(EgressPolicy.INTERNET);

        assertThatThrownBy(() -> preparer().prepare(server(), Lookup.WHEN_DUE, _ -> {}))
                .isInstanceOf(PackageException.class)
                .hasMessageContaining("cannot be reached from this worker");
        assertThat(host.requests()).isZero();
    }
}
