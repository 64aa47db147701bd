package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.process.packages.PackageException;
import dev.perigee.worker.process.packages.PackagePreparer;
import dev.perigee.worker.process.packages.PackagePreparer.Lookup;
import dev.perigee.worker.process.packages.PackageRegistry;
import dev.perigee.worker.process.packages.PackageSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Packages in real jails")
@NeedsProgram(Program.BUBBLEWRAP)
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailedPackagesTest {
    private final JailKind kind;
    private static final String SCRIPT =
            """
            #!/usr/bin/env node
            console.log(JSON.stringify([process.argv[1], process.argv.slice(2), process.env.PATH,
              process.env.API_KEY]));
            """;

    @TempDir Path caches;
    private final PackageRegistry registry = new PackageRegistry();

    JailedPackagesTest(JailKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void publish() {
        registry.publish("probe", "1.0.0", Map.of("probe", "p.js"), Map.of("p.js", SCRIPT));
    }

    @AfterEach
    void end() {
        registry.close();
    }

    private ServerProgram program(String team) {
        var environment = new HashMap<>(registry.environment());
        environment.remove("npm_config_cache"); // The team's own home has it.
        environment.put("API_KEY", "a secret");
        var command = List.of("npx", "-y", "probe", "--x");
        return new ServerProgram(team, ServerRuntime.NODE, command, environment);
    }

    @Test
    @DisplayName("PRO-23, PRO-105: npm installs inside, the program runs inside, each team its own")
    void preparesInside() throws Exception {
        try (var jails = Jails.open(caches, kind.with(Map.of()))) {
            var preparer =
                    new PackagePreparer(
                            PackageSettings.read(PackageSettings.SCHEMA.defaults()),
                            jails.isolation,
                            jails.owned,
                            jails.termination,
                            InstantSource.system());
            var progress = new CopyOnWriteArrayList<String>();

            var prepared = preparer.prepare(program("one"), Lookup.WHEN_DUE, progress::add);

            assertThat(progress).containsExactly("preparing the package probe");
            var bin = "/home/node/perigee-packages/";
            assertThat(jails.start(prepared).told())
                    .contains("[\"" + bin)
                    .contains("/made/node_modules/.bin/probe\",[\"--x\"],\"" + bin)
                    .contains(":" + JailEnvironment.PATH + "\",\"a secret\"]");
            assertThat(preparer.missing(program("one"), Lookup.WHEN_DUE)).isNull();
            assertThat(preparer.missing(program("two"), Lookup.WHEN_DUE)).isEqualTo("probe");

            registry.close();
            var again = preparer.prepare(program("one"), Lookup.WHEN_DUE, progress::add);
            assertThat(again.command()).isEqualTo(prepared.command());
            assertThatThrownBy(
                            () -> preparer.prepare(program("two"), Lookup.WHEN_DUE, progress::add))
                    .isInstanceOf(PackageException.class)
                    .hasMessageContaining("probe could not be prepared: npm ended with exit code");
        }
    }

    @Test
    @DisplayName("PRO-23: what links in a team's home lead to on the host decides nothing")
    void looksAtNothingOfTheHost(@TempDir Path elsewhere) throws Exception {
        try (var jails = Jails.open(caches, kind.with(Map.of()))) {
            var preparer =
                    new PackagePreparer(
                            PackageSettings.read(PackageSettings.SCHEMA.defaults()),
                            jails.isolation,
                            jails.owned,
                            jails.termination,
                            InstantSource.system());
            var home = jails.isolation.cache(ServerRuntime.NODE, "one").host();
            var secret = elsewhere.resolve("secret");
            Files.createSymbolicLink(home.resolve("package.json"), secret);
            for (var text : List.of("\"probe\"", "\"other\"")) {
                Files.writeString(secret, text);
                assertThat(preparer.missing(program("one"), Lookup.WHEN_DUE)).isNull();
            }
        }
    }
}
