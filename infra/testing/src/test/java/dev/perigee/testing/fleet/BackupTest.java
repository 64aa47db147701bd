package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Two clusters of a broker each. Servers of a second worker sleep after two seconds. */
@DisplayName("OPS-15: a fleet")
final class BackupTest {
    private static final String HI = "{\"message\":\"hi\"}";
    private static final String KEYS = "k:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    private static final String SECRET = "s3cret-" + System.nanoTime();

    @Test
    @DisplayName("moves to another cluster: what is awake, asleep, stopped and disabled there")
    void moves(@TempDir Path folder) throws IOException {
        var file = folder.resolve("fleet.backup");
        Servers servers;
        try (var before = begin("move-from").workers(2).start()) {
            servers = new Servers(before);
            servers.prepare();
            before.part("worker-2").askToEnd();
            before.part("worker-1").terminate();
            before.part("worker-2").terminate();
            before.part("gateway-1").terminate();

            var made = perigee(before, "backup", file.toString());
            assertThat(made.exitCode()).as(made.output()).isZero();
            assertThat(made.output()).contains("with 5 instances");
        }
        assertThat(Files.readAllBytes(file)).isNotEmpty();

        try (var after = begin("move-to").gateways(0).start()) {
            refuses(after, file, folder);
            var restored = perigee(after, "restore", file.toString());
            assertThat(restored.exitCode()).as(restored.output()).isZero();
            assertThat(restored.output()).contains("Restored 5 instances");
            long begun = System.currentTimeMillis();
            after.startGateway(1).awaitReady();

            servers.areServed(after, begun);
            var again = perigee(after, "restore", file.toString(), "--overwrite");
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.output()).contains("1 gateways of the group mcp.gateway run");
        }
    }

    @Test
    @DisplayName("comes back from a backup that was made while it ran and was lost after that")
    void comesBack(@TempDir Path folder) throws IOException {
        var file = folder.resolve("fleet.backup");
        Installation awake;
        try (var before = begin("lost").start()) {
            awake = before.backend().install(Installation.fixture().withEnv("KEY", SECRET));
            var running = before.backend().request(awake, "sleep", "{\"ms\":2000}");
            var made = perigee(before, "backup", file.toString());
            assertThat(made.exitCode()).as(made.output()).isZero();
            assertThat(before.backend().answer(running).text("outcome")).isEqualTo("success");
            before.part("worker-1").kill();
            before.part("gateway-1").kill();
        }

        try (var after = begin("found").gateways(0).start()) {
            var restored = perigee(after, "restore", file.toString(), "--without-hosts");
            assertThat(restored.exitCode()).as(restored.output()).isZero();
            after.startGateway(1).awaitReady();

            assertThat(after.backend().text(awake, "env", "{\"name\":\"KEY\"}")).isEqualTo(SECRET);
            // Offsets of commands begin anew: none is taken for the one of before that had it.
            var update =
                    after.backend()
                            .configure(awake.withEnv("KEY", "another"), "mcp_installation_updated");
            assertThat(after.backend().result(update).text("outcome")).isEqualTo("completed");
            assertThat(after.backend().text(awake, "env", "{\"name\":\"KEY\"}"))
                    .isEqualTo("another");
            for (int i = 0; i < 3; i++) {
                var restart = after.backend().command(awake, "restart", it -> it);
                assertThat(after.backend().result(restart).text("outcome")).isEqualTo("completed");
            }
            assertThat(after.backend().uninstall(awake).text("outcome")).isEqualTo("completed");
            assertThat(after.backend().call(awake, "echo", HI).text("error/code"))
                    .isEqualTo("unknown_server");
        }
    }

    private static FleetUnderTest.Builder begin(String name) {
        return FleetUnderTest.named(name)
                .gateway("state.encryption-keys", KEYS)
                .worker("idle.check-interval", "100ms")
                .worker("idle.grace", "0s")
                .worker("worker.drain-timeout", "15s")
                .worker(2, "idle.timeout", "2s");
    }

    private static InProcessRun perigee(FleetUnderTest fleet, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--bootstrap", fleet.bootstrap()));
        return InProcessRun.here(all);
    }

    /** What is not whole is refused, and a dry run writes nothing. */
    private static void refuses(FleetUnderTest fleet, Path file, Path folder) throws IOException {
        var bytes = Files.readAllBytes(file);
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
        var cut = Files.write(folder.resolve("cut"), Arrays.copyOf(bytes, bytes.length / 2));
        bytes[bytes.length / 2] ^= 4;
        var damaged = Files.write(folder.resolve("damaged"), bytes);
        for (var bad : List.of(cut, damaged)) {
            var refused = perigee(fleet, "restore", bad.toString());
            assertThat(refused.exitCode()).as(refused.output()).isEqualTo(64);
        }
        for (int i = 0; i < 2; i++) {
            var dry = perigee(fleet, "restore", file.toString(), "--dry-run");
            assertThat(dry.exitCode()).as(dry.output()).isZero();
            assertThat(dry.output()).contains("Would restore 5 instances");
        }
    }

    /** Servers in all states that a backup has to know. */
    private static final class Servers {
        private final Backend backend;
        private final FleetUnderTest fleet;
        private final Installation awake;
        private final Installation other;
        private final Installation stopped;
        private final Installation limited;
        private final Installation asleep;

        Servers(FleetUnderTest fleet) {
            this.fleet = fleet;
            this.backend = fleet.backend();
            var placing = fleet.placing();
            awake = placing.on(1, Installation::fixture).withEnv("KEY", SECRET);
            other = awake.as("g-server", awake.installationId() + "-g");
            stopped = placing.on(1, Installation::fixture);
            limited = placing.on(1, Installation::fixture);
            asleep = placing.on(2, Installation::fixture);
        }

        void prepare() {
            backend.install(List.of(awake, other, stopped, limited, asleep));
            var gone = backend.install(Installation.fixture());
            assertThat(backend.uninstall(gone).text("outcome")).isEqualTo("completed");
            var kill = backend.command(stopped, "kill", it -> it);
            assertThat(backend.result(kill).text("outcome")).isEqualTo("completed");
            var disable =
                    backend.command(
                            limited,
                            "configure",
                            command -> {
                                ((ObjectNode) command.get("payload"))
                                        .put("action", "update_tool_status")
                                        .put("tool_name", "pid")
                                        .put("is_disabled", true);
                                return command;
                            });
            assertThat(backend.result(disable).text("outcome")).isEqualTo("completed");
            assertThat(backend.text(awake, "echo", HI)).contains("hi");
            fleet.records().lifecycle(asleep, "dormant");
        }

        /** The same in another fleet, which has not heard a command. */
        void areServed(FleetUnderTest after, long begun) {
            var there = after.backend();
            assertThat(there.text(awake, "echo", HI)).contains("hi");
            assertThat(there.text(awake, "env", "{\"name\":\"KEY\"}")).isEqualTo(SECRET);
            assertThat(there.text(other, "echo", HI)).contains("hi");
            assertThat(there.text(limited, "echo", HI)).contains("hi");
            assertThat(there.call(limited, "pid", "{}").text("error/code"))
                    .isEqualTo("tool_disabled");
            assertThat(there.call(stopped, "echo", HI).text("error/code")).isEqualTo("stopped");

            var listed = there.ask(asleep, "tools/list", null);
            assertThat(listed.json().at("/result/tools").toString())
                    .contains(asleep.toolPath("echo"));
            assertThat(starts(after, asleep, begun)).as("sleeps on").isZero();
            assertThat(there.text(asleep, "echo", HI)).contains("hi");
            after.records().lifecycle(asleep, "respawned");

            var status = perigee(after, "status", "--output", "json");
            assertThat(status.exitCode()).as(status.output()).isZero();
            var all = Stream.of(awake, other, stopped, limited, asleep);
            assertThat(processes(status))
                    .containsExactlyInAnyOrderElementsOf(all.map(Installation::processId).toList());
        }

        private static List<String> processes(InProcessRun status) {
            return status.output()
                    .lines()
                    .filter(line -> line.startsWith("{"))
                    .map(line -> Json.tree(line.getBytes(StandardCharsets.UTF_8)))
                    .map(BackupTest::process)
                    .toList();
        }

        private static long starts(FleetUnderTest fleet, Installation server, long since) {
            return fleet.records().on(Topic.LIFECYCLE).stream()
                    .filter(r -> r.key().equals(server.processId()))
                    .filter(r -> r.raw().timestamp() >= since)
                    .count();
        }
    }

    private static String process(JsonNode event) {
        return event.path("process_id").asString();
    }
}
