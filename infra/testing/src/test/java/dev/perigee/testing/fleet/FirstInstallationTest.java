package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("A first installation")
@ExtendWith(SharedFleet.class)
final class FirstInstallationTest {

    private final FleetUnderTest fleet;
    private final Backend backend;

    FirstInstallationTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    @DisplayName("STA-02, STA-23, STA-26, STA-41: goes through exactly these statuses")
    void statuses() {
        var f = Installation.fixture("--slow-init", "200", "--slow-list", "200");
        var command = backend.configure(f, "mcp_installation_created");
        backend.result(command);
        backend.status(f, "online");

        var statuses = fleet.records().matching(r -> isOf(f, r) && isOn(Topic.STATUS, r));

        assertThat(statuses)
                .extracting(r -> r.text("status"))
                .containsExactly(
                        "command_received",
                        "connecting",
                        "discovering_tools",
                        "syncing_tools",
                        "online");
        assertThat(statuses)
                .extracting(r -> r.text("previous_status"))
                .containsExactly(
                        "", "command_received", "connecting", "discovering_tools", "syncing_tools");
        assertThat(statuses).allMatch(r -> r.text("user_id").equals(f.userId()));
    }

    @Test
    @DisplayName("PRO-03, PRO-04, PRO-91: is acknowledged, started, discovered and completed")
    void results() {
        var f = Installation.fixture().as("sequential-f", "U3h-CfH_8");
        var command = backend.configure(f, "mcp_installation_created");
        var result = backend.result(command);
        long pid = Long.parseLong(backend.text(f, "pid", "{}"));

        assertThat(result.text("outcome")).isEqualTo("completed");
        assertThat(result.text("result/resulting_status")).isEqualTo("online");
        assertThat(result.text("process_id")).isEqualTo(f.processId());
        assertThat(
                        fleet.records().matching(r -> r.text("command_id").equals(command)).stream()
                                .filter(r -> isOn(Topic.COMMAND_RESULTS, r))
                                .map(r -> r.text("outcome")))
                .containsExactly("acknowledged", "completed");
        var started = fleet.records().lifecycle(f, "started");
        assertThat(started.json().at("/pid").asLong()).isEqualTo(pid);
        assertThat(started.json().at("/spawn_duration_ms").asLong()).isPositive();
        assertThat(started.text("team_id")).isEqualTo(f.teamId());
        var tools = fleet.records().await(Topic.TOOLS, "tools", r -> isOf(f, r));
        assertThat(tools.json().at("/tools").size())
                .isEqualTo(tools.json().at("/tool_count").asInt())
                .isEqualTo(started.json().at("/tool_count").asInt());
        assertThat(tools.text("tools/0/tool_path")).isEqualTo(f.toolPath("pid"));
    }

    @Test
    @DisplayName("STA-40: its records have CloudEvents headers and one sequence without holes")
    void headers() {
        var f = backend.install(Installation.fixture());
        backend.text(f, "echo", "{\"message\":\"one\"}");
        var last = backend.call(f, "echo", "{\"message\":\"two\"}");

        var records = fleet.records().matching(r -> r.header("ce_id").startsWith(f.processId()));

        assertThat(records)
                .allSatisfy(
                        r -> {
                            assertThat(r.header("ce_specversion")).isEqualTo("1.0");
                            assertThat(r.header("ce_type")).isEqualTo(r.text("event"));
                            assertThat(r.header("ce_source")).isNotEmpty();
                            assertThat(r.header("ce_time")).isNotEmpty();
                            assertThat(r.header("content-type")).isEqualTo("application/json");
                        });
        long end = sequence(last);
        await().atMost(Records.PATIENCE) // Statuses come by transactions, answers overtake them.
                .untilAsserted(
                        () ->
                                assertThat(sequences(f).filter(s -> s <= end).sorted().toArray())
                                        .isEqualTo(LongStream.rangeClosed(1, end).toArray()));
    }

    private LongStream sequences(Installation f) {
        return fleet
                .records()
                .matching(r -> r.header("ce_id").startsWith(f.processId() + "/"))
                .stream()
                .mapToLong(FirstInstallationTest::sequence)
                .distinct();
    }

    private static long sequence(Received received) {
        var id = received.header("ce_id");
        return Long.parseLong(id.substring(id.lastIndexOf('/') + 1));
    }

    private static boolean isOf(Installation installation, Received received) {
        return received.key().equals(installation.processId());
    }

    private static boolean isOn(Topic topic, Received received) {
        return received.topic().equals(topic.suffix());
    }
}
