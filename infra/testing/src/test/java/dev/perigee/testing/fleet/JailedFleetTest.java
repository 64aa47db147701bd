package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker in production mode with bubblewrap's jails. */
@DisplayName("In production")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class JailedFleetTest {

    private static final Pattern SERVERS = Pattern.compile("f\\.mjs|p\\.py|sleep 600|bwrap");

    @TempDir private static Path caches;
    private final List<Installation> installed = new ArrayList<>();
    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws Exception {
        fleet =
                FleetUnderTest.named("jailed")
                        .worker("worker.mode", "production")
                        .worker("isolation.mode", "bubblewrap")
                        .worker("worker.cache-directory", caches.toString())
                        .worker(
                                "isolation.read-only-paths",
                                Fixtures.script() + "," + Fixtures.pythonScript())
                        .worker("isolation.pass-environment", "FLEET_UNDER_TEST,CI_RUN_MARK")
                        .worker("process.termination-grace", "3s")
                        .start();
    }

    @AfterEach
    void uninstall() {
        installed.forEach(fleet.backend()::uninstall);
        installed.clear();
        awaitNoServer();
    }

    @AfterAll
    void stop() {
        if (fleet != null) {
            fleet.close();
        }
    }

    private Installation install(Installation wanted) {
        var there = fleet.backend().install(wanted);
        installed.add(there);
        return there;
    }

    @Test
    @DisplayName("PRO-08, PRO-10, PRO-11, PRO-12, PRO-19, PRO-23: servers live in jails")
    void jailed() throws Exception {
        var backend = fleet.backend();
        var f =
                install(
                        Installation.fixture("; rm -rf /", "--")
                                .withEnv("API_KEY", "s3cret-value")
                                .withEnv("NODE_OPTIONS", "--no-warnings")
                                .withEnv("LD_PRELOAD", "/none.so"));

        assertThat(backend.text(f, "args", "{}")).isEqualTo("[\"; rm -rf /\",\"--\"]");
        var environment = backend.text(f, "env", "{}");
        assertThat(environment)
                .contains("\"API_KEY\":\"s3cret-value\"", "\"HOME\":\"/home/node\"")
                .doesNotContain("NODE_OPTIONS", "LD_PRELOAD", "JAVA_HOME");
        assertThat(backend.text(f, "limits", "{}"))
                .containsPattern("Max open files +1024 +1024")
                .containsPattern("Max processes +1000 +1000")
                .containsPattern("Max address space +unlimited +unlimited");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo("2");
        backend.text(f, "counter", "{\"file\":\"/home/node/count\"}");
        assertThat(home(f).resolve("node/count")).hasContent("x");

        var heartbeat = fleet.records().await(Topic.HEARTBEATS, "heartbeat", r -> true);
        assertThat(heartbeat.text("isolation")).startsWith("bubblewrap");
        assertThat(commandLines()).anyMatch(line -> line.contains("bwrap"));
        assertThat(commandLines()).noneMatch(line -> line.contains("s3cret-value"));
        assertThat(fleet.part("worker-1").output()).doesNotContain("s3cret-value");
    }

    @Test
    @DisplayName(
            "PRO-07, PRO-10, PRO-23: a server of python3 lives in a jail with a home of its own")
    void python() throws Exception {
        var backend = fleet.backend();
        var p =
                install(
                        Installation.of(
                                        "p-server",
                                        Fixtures.PYTHON,
                                        List.of(Fixtures.pythonScript().toString()))
                                .with("runtime", "python")
                                .withEnv("PYTHONPATH", "/none")
                                .withEnv("WHO", "P"));
        assertThat(backend.text(p, "echo", "{\"message\":\"grüezi\"}")).isEqualTo("grüezi");
        assertThat(backend.text(p, "pid", "{}")).isEqualTo("2");
        for (var variable :
                Map.of("WHO", "P", "PYTHONPATH", "", "HOME", "/home/python").entrySet()) {
            var name = "{\"name\":\"%s\"}".formatted(variable.getKey());
            assertThat(backend.text(p, "env", name)).isEqualTo(variable.getValue());
        }
        assertThat(home(p).resolve("python")).isDirectory();
        backend.uninstall(p);
        installed.remove(p);
        awaitNoServer();
        assertThat(home(p)).doesNotExist();
    }

    private static Path home(Installation of) {
        return caches.resolve("homes")
                .resolve(of.teamId())
                .resolve(of.userId())
                .resolve(of.installationId());
    }

    private List<String> commandLines() {
        return fleet.processes().stream().map(process -> commandLine(process.pid())).toList();
    }

    private static String commandLine(long pid) {
        try {
            var bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
            return new String(bytes, StandardCharsets.UTF_8).replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    @DisplayName("PRO-25: a program that is not allowed is rejected, and not started")
    void refused() {
        for (var command :
                List.of("/bin/bash", "bash", "./node", "/usr/bin/node", "node;id", "NODE")) {
            var installation = Installation.of("f-server", command, Fixtures.args());
            var id = fleet.backend().configure(installation, "mcp_installation_created");
            assertThat(fleet.backend().result(id).text("outcome"))
                    .as(command)
                    .isEqualTo("rejected");
        }
        var newline = Installation.of("f-server", "node", List.of("a\nb"));
        var id = fleet.backend().configure(newline, "mcp_installation_created");
        assertThat(fleet.backend().result(id).text("outcome")).isEqualTo("rejected");
        assertThat(commandLines()).noneMatch(line -> line.contains("bwrap"));
    }

    @Test
    @DisplayName("PRO-77, PRO-79, PRO-49: ends inside a jail are told as they were")
    void ends() {
        var backend = fleet.backend();
        var f = install(Installation.fixture());
        backend.call(f, "raise", "{\"signal\":\"SEGV\"}");
        assertThat(fleet.records().lifecycle(f, "crashed").text("signal")).isEqualTo("SIGSEGV");
        backend.text(f, "pid", "{}");
        backend.call(f, "crash", "{\"code\":7}");
        var second = fleet.records().lifecycle(f, "crashed", 2).getLast();
        assertThat(second.text("exit_code")).isEqualTo("7");
        assertThat(second.text("signal")).isEmpty();
    }

    @Test
    @DisplayName("PRO-49, PRO-51, PRO-52: a kill command asks a jailed server, then ends it")
    void killed() {
        var backend = fleet.backend();
        var polite = install(Installation.fixture("--ignore-eof", "--fork-detached"));
        var stubborn = install(Installation.fixture("--ignore-eof", "--ignore-term"));
        for (var f : List.of(polite, stubborn)) {
            assertThat(backend.result(backend.command(f, "kill", c -> c)).text("outcome"))
                    .isEqualTo("completed");
            fleet.records()
                    .await(
                            Topic.LOGS,
                            "SIGTERM",
                            r ->
                                    r.key().equals(f.processId())
                                            && r.json().toString().contains("received SIGTERM"));
        }
        awaitNoServer();
    }

    @Test
    @DisplayName("PRO-115, PRO-52: no jailed process outlives a worker that is killed")
    void workerKilled() {
        var f = install(Installation.fixture("--ignore-eof", "--ignore-term", "--fork-detached"));
        assertThat(servers()).as(f.processId()).hasSizeGreaterThanOrEqualTo(4);
        fleet.part("worker-1").kill();
        awaitNoServer();
        // The next one clears up, and has the instance again.
        fleet.startWorker(1).awaitReady();
        assertThat(fleet.backend().text(f, "pid", "{}")).isEqualTo("2");
    }

    private List<String> servers() {
        return fleet.processesOfServers().stream()
                .map(process -> commandLine(process.pid()))
                .filter(line -> SERVERS.matcher(line).find())
                .toList();
    }

    private void awaitNoServer() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(servers()).isEmpty());
    }
}
