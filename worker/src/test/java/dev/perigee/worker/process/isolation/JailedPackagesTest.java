package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.isolation.Home.OfInstallation;
import dev.perigee.worker.process.packages.PackageException;
import dev.perigee.worker.process.packages.PackagePreparer;
import dev.perigee.worker.process.packages.PackagePreparer.Lookup;
import dev.perigee.worker.process.packages.PackageRegistry;
import dev.perigee.worker.process.packages.PackageSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Packages in real jails")
@NeedsProgram(Program.BUBBLEWRAP)
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailedPackagesTest {
    private static final String SECRET = "a secret of the server";
    private static final String CREDENTIAL = "credential-of-the-operator";
    private static final String SCRIPT =
            """
            #!/usr/bin/env node
            console.log(JSON.stringify([process.argv[1], process.argv.slice(2), process.env.PATH,
              process.env.API_KEY]));
            """;

    /** Keeps its entities beside its own code unless it is configured, as the real one does. */
    private static final String MEMORY =
            """
            #!/usr/bin/env node
            const fs = require('fs'), path = require('path');
            const file = process.env.MEMORY_FILE_PATH || path.join(__dirname, 'memory.json');
            fs.appendFileSync(file, process.argv[2] + '\\n');
            console.log(fs.readFileSync(file, 'utf8'));
            """;

    private final JailKind kind;
    @TempDir Path folder;
    private final PackageRegistry registry = new PackageRegistry();
    private Jails jails;
    private int workers;

    JailedPackagesTest(JailKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        reopen(Map.of(), registryAllowed());
        registry.publish("probe", "1.0.0", Map.of("probe", "p.js"), Map.of("p.js", SCRIPT));
    }

    /** Installations reach a registry of the worker's own where the operator allows it. */
    private EgressPolicy registryAllowed() {
        var allowed = List.of(URI.create(registry.uri()).getAuthority());
        return EgressPolicy.of(allowed, List.of());
    }

    /** Another worker, with a cache of its own. */
    private void reopen(Map<String, String> settings, EgressPolicy egress) throws Exception {
        if (jails != null) {
            jails.close();
        }
        var cache = folder.resolve("cache" + workers++);
        jails = Jails.open(cache, kind.with(settings), EgressGuards.of(egress));
    }

    @AfterEach
    void end() {
        registry.close();
        if (jails != null) {
            jails.close();
        }
    }

    /** Of a worker whose operator uses the registry. */
    private PackagePreparer preparer(String... settings) throws IOException {
        var npmrc = folder.resolve("npmrc");
        var registryHost = registry.uri().substring("http:".length());
        Files.writeString(
                npmrc,
                "registry=%s\nfetch-retries=0\n%s:_authToken=%s\n"
                        .formatted(registry.uri(), registryHost, CREDENTIAL));
        var all = new HashMap<>(Map.of("packages.npmrc", npmrc.toString()));
        for (int at = 0; at < settings.length; at += 2) {
            all.put(settings[at], settings[at + 1]);
        }
        return new PackagePreparer(
                PackageSettings.read(PackageSettings.SCHEMA.read(all)),
                jails.isolation,
                jails.owned,
                jails.termination,
                jails.deletion,
                InstantSource.system());
    }

    private static ServerProgram npx(
            OfInstallation home, Map<String, String> env, String... words) {
        var command = Stream.concat(Stream.of("npx", "-y"), Stream.of(words)).toList();
        return new ServerProgram(home, ServerRuntime.NODE, command, env);
    }

    private static ServerProgram probe(String team, String user) {
        var home = new OfInstallation(team, user, "i");
        return npx(home, Map.of("API_KEY", SECRET), "probe", "--x");
    }

    private static ServerProgram prepared(PackagePreparer preparer, ServerProgram program)
            throws Exception {
        return preparer.prepare(program, Lookup.WHEN_DUE, _ -> {});
    }

    @Test
    @DisplayName("PRO-105, TEN-02: npm installs once for all teams, programs run from a mount")
    void preparesOnceForAll() throws Exception {
        var preparer = preparer();
        var progress = new CopyOnWriteArrayList<String>();

        var prepared = preparer.prepare(probe("one", "a"), Lookup.WHEN_DUE, progress::add);

        assertThat(progress).containsExactly("preparing the package probe");
        var bin = "/package/made/node_modules/.bin";
        assertThat(jails.start(prepared).told())
                .contains("[\"" + bin + "/probe\",[\"--x\"],\"" + bin)
                .contains(":" + JailEnvironment.PATH + "\",\"" + SECRET + "\"]");
        assertThat(preparer.missing(probe("two", "b"), Lookup.WHEN_DUE)).isNull();

        registry.close();
        var again = preparer.prepare(probe("two", "b"), Lookup.WHEN_DUE, progress::add);
        assertThat(again.mounts()).isEqualTo(prepared.mounts());
        assertThat(progress).hasSize(1);
        assertThat(jails.start(again).told()).contains(SECRET);
    }

    @Test
    @DisplayName("TEN-02: what a user's own registry has is nobody else's")
    void keepsOwnRegistriesApart() throws Exception {
        var preparer = preparer();
        var environment = new HashMap<>(registry.environment());
        environment.remove("npm_config_cache");
        var own = npx(new OfInstallation("one", "a", "i"), environment, "probe");
        prepared(preparer, own);

        assertThat(preparer.missing(own, Lookup.WHEN_DUE)).isNull();
        for (var home :
                List.of(new OfInstallation("one", "b", "i"), new OfInstallation("two", "a", "i"))) {
            assertThat(preparer.missing(npx(home, environment, "probe"), Lookup.WHEN_DUE))
                    .isEqualTo("probe");
            assertThat(preparer.missing(npx(home, Map.of(), "probe"), Lookup.WHEN_DUE))
                    .isEqualTo("probe");
        }
        registry.close();
        assertThatThrownBy(() -> prepared(preparer, probe("two", "a")))
                .isInstanceOf(PackageException.class)
                .hasMessageContaining("probe could not be prepared: npm ended with exit code")
                .hasMessageNotContaining(CREDENTIAL);
    }

    /** Also where the program's user owns the package, so that only its mount is in the way. */
    @ParameterizedTest
    @ValueSource(strings = {IdentitySearch.AUTO, IdentitySearch.NONE})
    @NeedsProgram(Program.PYTHON)
    @DisplayName("TEN-02: an installed package withstands its own program, whatever it tries")
    void areReadOnly(String ids) throws Exception {
        reopen(Map.of("isolation.ids", ids), registryAllowed());
        var prepared = prepared(preparer(), probe("one", "a"));
        var made = prepared.mounts().getFirst().host();
        var before = content(made);
        var attack =
                new ServerProgram(
                        prepared.home(),
                        ServerRuntime.NODE,
                        List.of(
                                Jails.PYTHON,
                                "-c",
                                Jails.resource("/hostile_tenant.py"),
                                "package",
                                "/package"),
                        Map.of(),
                        false,
                        prepared.mounts());

        var told = jails.start(attack).told();

        assertThat(told.lines().filter(line -> line.contains(" DONE"))).isEmpty();
        assertThat(told).endsWith("END\n").contains("/package/made/node_modules/probe/p.js");
        assertThat(content(made)).isEqualTo(before).hasSizeGreaterThan(5);
    }

    /** By path what is there: kind, rights and content. */
    private static Map<String, String> content(Path top) throws Exception {
        var content = new TreeMap<String, String>();
        try (var paths = Files.walk(top)) {
            for (var path : paths.collect(Collectors.toList())) {
                var rights = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
                content.put(path.toString(), rights + what(path));
            }
        }
        return content;
    }

    private static String what(Path path) throws Exception {
        if (Files.isSymbolicLink(path)) {
            return " -> " + Files.readSymbolicLink(path);
        }
        return Files.isDirectory(path)
                ? " directory"
                : HexFormat.of()
                        .formatHex(
                                MessageDigest.getInstance("SHA-256")
                                        .digest(Files.readAllBytes(path)));
    }

    @Test
    @DisplayName("TEN-02: what is not what the registry published is not installed")
    void verifiesTheContent() throws Exception {
        registry.forge("probe", "1.0.0", Map.of("p.js", SCRIPT + "// changed on the way"));
        var preparer = preparer();

        assertThatThrownBy(() -> prepared(preparer, probe("one", "a")))
                .isInstanceOf(PackageException.class);
        assertThat(preparer.missing(probe("one", "a"), Lookup.WHEN_DUE)).isEqualTo("probe");
    }

    @Test
    @DisplayName("TEN-06: no registry is reached that the egress policy does not allow")
    void obeysTheEgressPolicy() throws Exception {
        reopen(Map.of(), EgressPolicy.INTERNET);
        var preparer = preparer();

        assertThatThrownBy(() -> prepared(preparer, probe("one", "a")))
                .isInstanceOf(PackageException.class)
                .hasMessageContaining("probe could not be prepared");
        assertThat(preparer.missing(probe("one", "a"), Lookup.WHEN_DUE)).isEqualTo("probe");
    }

    /** Each hook leaves what it sees beside the package's code. */
    private void publishHostile() {
        var hook =
                "(echo HOOK-%s; env; find / -path /proc -prune -o -path /usr -prune -o -print;"
                        + " cat /home/*/* /home/*/.* /package/npmrc /npmrc ~/.npmrc; cat /proc/[0-9]*/environ)"
                        + " >> seen 2>&1; true";
        var hooks =
                Stream.of(
                                "preinstall",
                                "install",
                                "postinstall",
                                "prepublish",
                                "preprepare",
                                "prepare",
                                "postprepare",
                                "prepack",
                                "postpack",
                                "dependencies")
                        .collect(Collectors.toMap(name -> name, hook::formatted));
        registry.publish(
                "hostile", "1.0.0", Map.of("hostile", "p.js"), Map.of("p.js", SCRIPT), hooks);
    }

    private ServerProgram hostile() throws IOException {
        var home = new OfInstallation("one", "a", "i");
        var program = npx(home, Map.of("API_KEY", SECRET), "hostile");
        Files.writeString(jails.isolation.home(program).host().resolve("of-the-tenant"), SECRET);
        return program;
    }

    private static Path seen(ServerProgram prepared) {
        return prepared.mounts().getFirst().host().resolve("node_modules/hostile/seen");
    }

    @Test
    @DisplayName("TEN-03: no hook of a package runs, nor does a user's configuration allow it")
    void runsNoScripts() throws Exception {
        publishHostile();
        var preparer = preparer();
        assertThat(seen(prepared(preparer, hostile()))).doesNotExist();

        var environment = new HashMap<>(registry.environment());
        environment.remove("npm_config_cache");
        environment.put("npm_config_ignore_scripts", "false");
        var own = npx(new OfInstallation("one", "a", "i"), environment, "hostile");
        var prepared = prepared(preparer, own);
        assertThat(prepared.command().toString()).contains("/package/made");
        assertThat(seen(prepared)).doesNotExist();
    }

    @Test
    @DisplayName("TEN-03: hooks that are allowed see no environment, home or credential")
    void showsScriptsNothing() throws Exception {
        publishHostile();

        var prepared = prepared(preparer("packages.scripts", "other,hostile"), hostile());

        assertThat(Files.readString(seen(prepared)))
                .contains("HOOK-preinstall", "HOOK-install", "HOOK-postinstall")
                .contains("HOME=/home/node")
                .doesNotContain(SECRET, CREDENTIAL, "API_KEY", "of-the-tenant");
        // Nor does the server see the operator's configuration, or the builder's home.
        // All files but the system's programs; devices look like files from their directory.
        var look =
                List.of(
                        "sh",
                        "-c",
                        "cat /package/npmrc; ls -a /package ~; env; cat /proc/[0-9]*/environ; echo;"
                                + " find / \\( -path /proc -o -path /usr -o -path '/*bin'"
                                + " -o -path '/lib*' -o -path '/dev/[!s]*' \\) -prune -o -type f"
                                + " -exec grep -ls -e \"$1\" -e \"$2\" {} + | sed 's/^/in /'",
                        "-",
                        CREDENTIAL.substring(0, CREDENTIAL.length() - 1),
                        SECRET);
        var server =
                new ServerProgram(
                        prepared.home(),
                        ServerRuntime.NODE,
                        look,
                        Map.of(),
                        false,
                        prepared.mounts());
        var told = jails.start(server).told();
        assertThat(told)
                .contains("made", "of-the-tenant", "HOME=/home/node")
                .doesNotContain(CREDENTIAL, "\nnpmrc", "\n.npm");
        assertThat(told.lines().filter(line -> line.startsWith("in ")))
                .as("files with the credential, or with the tenant's own secret")
                .containsExactly("in /home/node/of-the-tenant");
    }

    @Test
    @DisplayName("TEN-03: nor do repositories that a package depends on")
    void fetchesNoRepositories() {
        registry.publish("fetching", "1.0.0", Map.of("f", "f.js"), Map.of("f.js", SCRIPT));
        registry.addDependency("fetching", "1.0.0", "x", "git+https://127.0.0.1:1/x.git");
        var program = npx(new OfInstallation("one", "a", "i"), Map.of(), "fetching");

        assertThatThrownBy(() -> prepared(preparer(), program))
                .hasMessageContaining("fetching could not be prepared")
                .hasMessageContaining("git")
                .hasMessageNotContaining("unable to access");
    }

    @Test
    @DisplayName("TEN-01: server-memory of one user never shows another's entities")
    void keepsDataInTheHome() throws Exception {
        var name = "@modelcontextprotocol/server-memory";
        registry.publish(name, "1.0.0", Map.of("memory", "m.js"), Map.of("m.js", MEMORY));
        var preparer = preparer();
        var alice = new OfInstallation("team", "alice", "i");
        var bob = new OfInstallation("team", "bob", "i");
        jails.start(prepared(preparer, npx(alice, Map.of(), name, "of-alice"))).told();

        var bobs = jails.start(prepared(preparer, npx(bob, Map.of(), name, "of-bob"))).told();
        var again = jails.start(prepared(preparer, npx(alice, Map.of(), name, "more"))).told();
        var file = Map.of("MEMORY_FILE_PATH", "/home/node/mine");
        var chosen = jails.start(prepared(preparer, npx(bob, file, name, "chosen"))).told();

        assertThat(bobs).contains("of-bob").doesNotContain("of-alice");
        assertThat(again).contains("of-alice", "more").doesNotContain("of-bob");
        assertThat(chosen.strip()).isEqualTo("chosen");
    }

    @Test
    @DisplayName("PRO-23: what links in a home lead to on the host decides nothing")
    void looksAtNothingOfTheHost(@TempDir Path elsewhere) throws Exception {
        var preparer = preparer();
        var home = jails.isolation.home(probe("one", "a")).host();
        var secret = elsewhere.resolve("secret");
        Files.createSymbolicLink(home.resolve("package.json"), secret);
        for (var text : List.of("\"probe\"", "\"other\"")) {
            Files.writeString(secret, text);
            assertThat(preparer.missing(probe("one", "a"), Lookup.WHEN_DUE)).isNull();
        }
    }
}
