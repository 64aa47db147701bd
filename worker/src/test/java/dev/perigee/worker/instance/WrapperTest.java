package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.NoIsolation;
import dev.perigee.worker.process.packages.Deletion;
import dev.perigee.worker.process.packages.PackagePreparer;
import dev.perigee.worker.process.packages.PackagePreparer.Lookup;
import dev.perigee.worker.process.packages.PackageSettings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Wrappers that stand in a configuration's own PATH: stubs, and doubles of uv. */
final class WrapperTest {
    private final InstanceBench bench = new InstanceBench();

    @TempDir Path programs;

    @AfterEach
    void end() {
        bench.close();
    }

    private ServerConfig program(String id, String command, String... args) {
        var env = new HashMap<String, String>();
        env.put("PATH", programs + File.pathSeparator + System.getenv("PATH"));
        env.put("UV_PROBE_SERVER", resource("/server.mjs").toString());
        env.put("UV_PROBE_LOG", programs.resolve("installed").toString());
        env.put("API_KEY", "a secret");
        return InstanceBench.program(id, TransportType.STDIO, command, List.of(args), env, null);
    }

    private static Path resource(String name) {
        return Path.of(Objects.requireNonNull(InstanceBench.class.getResource(name)).getPath());
    }

    private void place(String name, String... lines) throws IOException {
        var file = programs.resolve(name);
        Files.write(file, List.of(lines));
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void placeUv() throws IOException {
        for (var name : List.of("uv", "uvx")) {
            place(name, Files.readString(resource("/uv/" + name)));
        }
    }

    private String args(ServerConfig config) {
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return bench.text(config, "args", Map.of());
    }

    @Test
    @DisplayName("PRO-107: a redeployment from GitHub hands npx the new commit")
    void handsTheCommitToNpx() throws IOException {
        place("npx", "#!/bin/sh", "exec node \"$UV_PROBE_SERVER\" \"$@\"");
        var config = program("a", "npx", "-y", "github:owner/repo", "--root", "/x");

        assertThat(args(deployed(config, "github", "abc123")))
                .isEqualTo("[\"-y\",\"github:owner/repo#abc123\",\"--root\",\"/x\"]");
        bench.apply(deployed(config, "github", "def456"), Cause.REDEPLOYED);
        assertThat(bench.text(config, "args", Map.of())).contains("github:owner/repo#def456");
        bench.apply(deployed(config, "official", "def456"), Cause.UPDATED);
        assertThat(bench.text(config, "args", Map.of())).contains("\"github:owner/repo\"");
    }

    private static ServerConfig deployed(ServerConfig config, String source, String commit) {
        var json = (ObjectNode) Json.tree(Json.write(config));
        json.put("source", source).put("git_commit_sha", commit);
        return Json.read(Json.write(json), ServerConfig.class);
    }

    @Test
    @DisplayName("PRO-25: a commit with a newline is refused like an argument with one")
    void refusesACommitWithANewline() {
        var config = deployed(program("a", "npx", "github:o/r"), "github", "abc\n--evil");

        assertThat(LaunchPlan.refusal(config, List.of("*"), true)).contains("newline");
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.REJECTED);
    }

    @Test
    @DisplayName("An npx that is not npm's own runs as written")
    void runsAStubAsWritten() throws IOException {
        place("npx", "#!/bin/sh", "exec node \"$UV_PROBE_SERVER\" \"$@\"");

        assertThat(args(program("a", "npx", "-y", "some-package")))
                .isEqualTo("[\"-y\",\"some-package\"]");
    }

    @Test
    @DisplayName("PRO-07: a tool of uvx is installed once and run directly")
    void preparesTools() throws IOException {
        placeUv();

        assertThat(args(program("a", "uvx", "probe-tool@1.0", "--x"))).isEqualTo("[\"--x\"]");
        assertThat(args(program("b", "uvx", "probe-tool@1.0", "--y"))).isEqualTo("[\"--y\"]");
        assertThat(args(program("c", "uvx", "--from", "probe-tool", "probe-tool", "--z")))
                .isEqualTo("[\"--z\"]");

        assertThat(Files.readAllLines(programs.resolve("installed")))
                .containsExactly("probe-tool@1.0", "probe-tool");
    }

    @Test
    @DisplayName("PRO-07: what uvx would decide by itself runs as written")
    void runsUvxAsWritten() throws IOException {
        placeUv();

        assertThat(args(program("a", "uvx", "--python", "3.12", "probe-tool")))
                .isEqualTo("[\"uvx\",\"--python\",\"3.12\",\"probe-tool\"]");
        assertThat(args(program("b", "uvx", "--from", "probe-tool", "another-program")))
                .isEqualTo("[\"uvx\",\"--from\",\"probe-tool\",\"another-program\"]");
    }

    @Test
    void runsAsWrittenWithoutACache() throws IOException {
        placeUv();
        var program = LaunchPlan.of(program("a", "uvx", "probe-tool"));
        var isolation = new NoIsolation(System.getenv(), Path.of("/dev/null/nowhere"));
        var termination = new Termination();
        try (var launcher = ProcessLaunchers.create(LauncherOptions.defaults());
                var deletion = new Deletion(isolation, launcher, termination)) {
            var preparer =
                    new PackagePreparer(
                            PackageSettings.read(PackageSettings.SCHEMA.defaults()),
                            isolation,
                            launcher,
                            termination,
                            deletion,
                            InstantSource.system());

            assertThat(preparer.missing(program, Lookup.WHEN_DUE)).isNull();
        }
    }

    @Test
    void tellsUvsError() throws IOException {
        placeUv();

        var outcome = bench.configure(program("a", "uvx", "unknown-tool"));

        assertThat(Objects.requireNonNull(outcome.error()).message())
                .contains(
                        "The package unknown-tool could not be prepared: uv ended with exit code 1")
                .contains("unknown-tool was not found in the package registry");
    }
}
