package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.worker.process.packages.PackageRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are packages, installed by real npm from a registry of the test's own. */
final class PackagedServersTest {
    private static final String SERVER = "@probe/server";
    private static final String SECRET = "s3cret-of-the-server";
    private static final Duration LONG = Duration.ofSeconds(60);

    private final PackageRegistry registry = new PackageRegistry();
    private InstanceBench bench = new InstanceBench();

    PackagedServersTest() {
        publish(SERVER, "1.0.0", Map.of("server", "server.mjs"));
    }

    @AfterEach
    void end() {
        bench.close();
        registry.close();
    }

    private void with(String... settings) {
        bench.close();
        var map = new HashMap<String, String>();
        for (int at = 0; at < settings.length; at += 2) {
            map.put(settings[at], settings[at + 1]);
        }
        bench = new InstanceBench(map);
    }

    private void publish(String name, String version, Map<String, String> programs) {
        registry.publish(name, version, programs, Map.of("server.mjs", script(version)));
    }

    /** The test server as a package's program; its version is the last of its tools. */
    private static String script(String version) {
        try (var script =
                Objects.requireNonNull(InstanceBench.class.getResourceAsStream("/server.mjs"))) {
            return "#!/usr/bin/env node\n"
                    + new String(script.readAllBytes(), StandardCharsets.UTF_8)
                            .replace("'record', 'big'", "'record', 'big', 'v" + version + "'");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ServerConfig npx(String id, String... args) {
        var env = new HashMap<>(registry.environment());
        env.put("API_KEY", SECRET);
        return InstanceBench.program(id, TransportType.STDIO, "npx", List.of(args), env, null);
    }

    private void install(ServerConfig config) {
        var outcome = bench.configure(config);
        assertThat(outcome.outcome()).as("%s", outcome).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
    }

    private String version(ServerConfig config) {
        return bench.snapshot(config).tools().getLast().toolName();
    }

    private boolean isDirectChild(ServerConfig config) {
        var parent = ProcessHandle.of(bench.pid(config)).flatMap(ProcessHandle::parent);
        return parent.filter(ProcessHandle.current()::equals).isPresent();
    }

    /** Read from the system: npm renames its process, which {@link ProcessHandle} cannot tell. */
    private static List<String> npms() {
        return ProcessHandle.current()
                .descendants()
                .map(child -> commandLine(child.pid()))
                .filter(line -> line.contains("npm-cli.js") || line.contains("npm install"))
                .toList();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"))
                    .replace('\0', ' ');
        } catch (IOException e) {
            return ""; // It has ended.
        }
    }

    @Test
    @DisplayName("OPS-02: statuses name the release that fails, also where the latest is asked for")
    void namesTheRelease() {
        var broken = "#!/usr/bin/env node\nthrow new Error('no such table: users');\n";
        registry.publish(
                SERVER, "2.0.1", Map.of("server", "server.mjs"), Map.of("server.mjs", broken));
        var latest = npx("a", "-y", SERVER);
        var before = npx("b", "-y", SERVER + "@1.0.0");

        assertThat(bench.configure(latest).outcome()).isEqualTo(CommandOutcome.FAILED);
        var failed = bench.journal(latest).all(EventBody.StatusChanged.class).getLast();
        assertThat(failed.status()).isEqualTo(ServerStatus.ERROR);
        assertThat(failed.statusMessage()).contains("Error: no such table: users");
        assertThat(failed.serverVersion()).isEqualTo("2.0.1");

        install(before);
        assertThat(bench.journal(before).all(EventBody.StatusChanged.class))
                .last()
                .extracting(EventBody.StatusChanged::serverVersion)
                .isEqualTo("1.0.0");
    }

    @Test
    @DisplayName("PRO-105: many starts of a package install it once, then run without npm")
    void installsOnce() {
        var first = npx("a", "-y", SERVER, "--one", "a; b");
        var second = npx("b", "--yes", SERVER);

        var pending =
                List.of(
                        bench.submit(first, Cause.CREATED),
                        bench.submit(second, Cause.CREATED),
                        bench.submit(npx("c", "-y", "--", SERVER), Cause.CREATED));

        assertThat(pending)
                .extracting(one -> bench.settle(one).outcome())
                .containsOnly(CommandOutcome.COMPLETED);
        assertThat(registry.lookups()).isEqualTo(1);
        assertThat(isDirectChild(first)).isTrue();
        assertThat(isDirectChild(second)).isTrue();
        assertThat(bench.text(first, "args", Map.of())).isEqualTo("[\"--one\",\"a; b\"]");
        assertThat(bench.text(first, "env", Map.of("name", "API_KEY"))).isEqualTo(SECRET);
        assertThat(connecting(first)).contains("preparing the package " + SERVER);

        registry.close();
        var later = npx("d", "-y", SERVER);
        install(later);
        assertThat(isDirectChild(later)).isTrue();
        assertThat(connecting(later)).doesNotContain("preparing");
    }

    @Test
    @DisplayName("PRO-105: what npm is configured with for the whole machine counts")
    void readsTheMachinesConfiguration(@TempDir Path prefix) throws IOException {
        var bin = Files.createDirectories(prefix.resolve("bin"));
        Files.copy(program("node"), bin.resolve("node"), StandardCopyOption.COPY_ATTRIBUTES);
        var env = new HashMap<>(registry.environment());
        var npmrc = Files.createDirectories(prefix.resolve("etc")).resolve("npmrc");
        Files.writeString(npmrc, "registry=" + env.remove("npm_config_registry") + "\n");
        env.put("PATH", bin + ":" + System.getenv("PATH"));
        var config =
                InstanceBench.program(
                        "a", TransportType.STDIO, "npx", List.of("-y", SERVER), env, null);

        install(config);

        assertThat(isDirectChild(config)).isTrue();
        assertThat(registry.lookups()).isEqualTo(1);
    }

    private static Path program(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    private String connecting(ServerConfig config) {
        return bench.journal(config).all(EventBody.StatusChanged.class).stream()
                .filter(change -> change.status() == ServerStatus.CONNECTING)
                .map(change -> String.valueOf(change.statusMessage()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName(
            "OPS-19, PRO-102, PRO-112: a package that is not there is an error with npm's own words")
    void tellsNpmsError() {
        var outcome = bench.configure(npx("a", "-y", "@probe/" + SECRET));

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        var error = Objects.requireNonNull(outcome.error()).message();
        assertThat(error)
                .contains("The package @probe/*** could not be prepared")
                .contains("404")
                .contains("check its name and version")
                .doesNotContain(SECRET);
        install(InstanceBench.server("b"));
    }

    @Test
    @DisplayName("What npx would decide by itself runs as written")
    void leavesTheUncertain() {
        publish(
                "two-programs",
                "1.0.0",
                Map.of("first", "server.mjs", "second", "../two-programs/server.mjs"));
        var named = npx("a", "-y", "-p", "two-programs", "first", "--x");

        install(named);

        assertThat(isDirectChild(named)).isTrue();
        assertThat(bench.text(named, "args", Map.of())).isEqualTo("[\"--x\"]");

        with("packages.prepare", "false", "mcp.handshake-timeout", "60s");
        var off = npx("b", "-y", SERVER);
        install(off);
        assertThat(isDirectChild(off)).isFalse();
    }

    @Test
    @DisplayName("A package without an exact version is looked up again; a pinned one is not")
    void looksForNewer() {
        with("packages.refresh-after", "1ms");
        var moving = npx("a", "-y", SERVER);
        var pinned = npx("b", "-y", SERVER + "@1.0.0");
        install(moving);
        install(pinned);
        publish(SERVER, "1.1.0", Map.of("server", "server.mjs"));
        int before = registry.lookups();

        bench.settle(bench.instances.restart(bench.order(pinned.processId())));
        assertThat(registry.lookups()).isEqualTo(before);
        assertThat(version(pinned)).isEqualTo("v1.0.0");

        bench.settle(bench.instances.restart(bench.order(moving.processId())));
        assertThat(version(moving)).isEqualTo("v1.1.0");
        assertThat(isDirectChild(moving)).isTrue();
    }

    @Test
    @DisplayName("An old package is used on where its registry is away, and by crash restarts")
    void usesTheOldOne() {
        with("packages.refresh-after", "1ms", "packages.refresh-timeout", "1s");
        var config = npx("a", "-y", SERVER);
        install(config);
        registry.fallSilent();
        long old = bench.pid(config);

        bench.call(config, "crash", Map.of("code", 1));
        await().atMost(LONG).until(() -> bench.snapshot(config).pid() != null);
        assertThat(bench.pid(config)).isNotEqualTo(old);
        assertThat(connecting(config)).isNotEmpty();

        bench.settle(bench.instances.restart(bench.order(config.processId())));
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
        assertThat(npms()).isEmpty();
    }

    @Test
    @DisplayName("An installation that hangs ends at its timeout, with its tree")
    void endsAtTheTimeout() {
        with("packages.timeout", "2s");
        registry.fallSilent();

        var outcome = bench.configure(npx("a", "-y", SERVER));

        assertThat(Objects.requireNonNull(outcome.error()).message())
                .contains("did not end within 2 s")
                .contains("packages.timeout");
        assertThat(npms()).isEmpty();
    }

    @Test
    @DisplayName("PRO-69, PRO-113: a hanging installation delays nobody and ends with its instance")
    void isGivenUp() {
        with("process.parallel-starts", "1", "packages.parallel", "1");
        registry.fallSilent();
        var hanging = npx("a", "-y", SERVER);
        var pending = bench.submit(hanging, Cause.CREATED);
        await().atMost(LONG).until(() -> !npms().isEmpty());
        assertThat(bench.snapshot(hanging).statusMessage())
                .contains("preparing the package " + SERVER);
        var waiting = npx("w", "-y", "another-package");
        var _ = bench.submit(waiting, Cause.CREATED);
        await().atMost(LONG)
                .untilAsserted(
                        () ->
                                assertThat(bench.snapshot(waiting).statusMessage())
                                        .contains("waiting to prepare"));

        install(InstanceBench.server("b"));

        bench.settle(bench.instances.remove(bench.order(hanging.processId())));
        bench.settle(bench.instances.remove(bench.order(waiting.processId())));
        assertThat(npms()).isEmpty();
        assertThat(bench.settle(pending).outcome()).isNotNull();
    }

    @Test
    @DisplayName("PRO-112: a missing program is an error that says what to do")
    void missesTheProgram() {
        var config =
                InstanceBench.program(
                        "a", TransportType.STDIO, "no-such-program", List.of(), Map.of(), null);

        var outcome = bench.configure(config);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(Objects.requireNonNull(outcome.error()).message())
                .contains("'no-such-program' was not found")
                .contains("install it on the worker or correct the command");
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);
        install(InstanceBench.server("b"));
    }
}
