package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/**
 * Deployments from git by real npm. The remote is a directory: git itself replaces the address of a
 * host that does not exist by it.
 */
@DisplayName("PRO-107: npx runs the commit that is deployed")
@NeedsProgram(Program.GIT)
final class GitDeploymentTest {
    private static final String HOST = "https://git.invalid/";

    private final InstanceBench bench = new InstanceBench(Map.of("mcp.handshake-timeout", "60s"));

    @TempDir Path directory;

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    void runsTheDeployedCommit() throws Exception {
        var repository = Files.createDirectory(directory.resolve("server"));
        git(repository, "init", "-q");
        var first = commit(repository, "first");
        var second = commit(repository, "second");
        commit(repository, "third");
        var config = npx("git+" + HOST + "server");

        var outcome = bench.configure(deployed(config, first));

        assertThat(outcome.error()).isNull();
        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.text(config, "args", Map.of())).isEqualTo("[\"--root\",\"first\"]");
        bench.apply(deployed(config, second), Cause.REDEPLOYED);
        assertThat(bench.text(config, "args", Map.of())).isEqualTo("[\"--root\",\"second\"]");
    }

    private ServerConfig npx(String spec) {
        var env = new HashMap<String, String>();
        env.put("GIT_CONFIG_COUNT", "1");
        env.put("GIT_CONFIG_KEY_0", "url.file://" + directory + "/.insteadOf");
        env.put("GIT_CONFIG_VALUE_0", HOST);
        env.put("GIT_CONFIG_GLOBAL", "/dev/null");
        env.put("npm_config_cache", directory.resolve("cache").toString());
        env.put("npm_config_registry", "http://127.0.0.1:1/");
        return InstanceBench.program(
                "a", TransportType.STDIO, "npx", List.of("-y", spec, "--root"), env, null);
    }

    private static ServerConfig deployed(ServerConfig config, String commit) {
        var json = (ObjectNode) Json.tree(Json.write(config));
        json.put("source", "github").put("git_commit_sha", commit);
        return Json.convert(json, ServerConfig.class);
    }

    /** A package whose program says by its last argument of which commit it is. */
    private static String commit(Path repository, String name) throws Exception {
        Files.writeString(
                repository.resolve("package.json"),
                """
                {"name":"git-probe","version":"1.0.0","bin":{"git-probe":"index.mjs"}}
                """);
        var program = repository.resolve("index.mjs");
        Files.writeString(
                program,
                """
                #!/usr/bin/env node
                process.argv.push('%s');
                await import('./server.mjs');
                """
                        .formatted(name));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        try (var server =
                Objects.requireNonNull(InstanceBench.class.getResourceAsStream("/server.mjs"))) {
            Files.write(repository.resolve("server.mjs"), server.readAllBytes());
        }
        git(repository, "add", ".");
        git(repository, "commit", "-q", "-m", name);
        return git(repository, "rev-parse", "HEAD").strip();
    }

    private static String git(Path repository, String... arguments)
            throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of("git", "-c", "user.name=t", "-c", "user.email=t@t.invalid"));
        command.addAll(List.of(arguments));
        var process =
                new ProcessBuilder(command)
                        .directory(repository.toFile())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
