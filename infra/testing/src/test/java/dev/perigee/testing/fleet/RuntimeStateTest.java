package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/** Two seconds stand for the three minutes of an idle process, half of one for a heartbeat's 30. */
@DisplayName("Idle instances and the state of all, through topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RuntimeStateTest {

    private static final String NONE = "{}";

    private FleetUnderTest fleet;
    private Backend backend;
    private Watch watch;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("runtime-state")
                        .worker("idle.timeout", "2s")
                        .worker("idle.check-interval", "100ms")
                        .worker("idle.grace", "0s")
                        .worker("heartbeat.interval", "500ms")
                        .worker("restart.delays", "50ms")
                        .start();
        backend = fleet.backend();
        watch = new Watch(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName(
            "CAL-10, PRO-56, PRO-60, PRO-62, STA-43: an idle server is ended, stays online and listed, and"
                    + " comes back with a call")
    void idle() {
        var f = backend.install(Installation.fixture("--kept").withEnv("WHO", "me"));
        var pid = backend.text(f, "pid", NONE);

        var dormant = fleet.records().lifecycle(f, "dormant");

        assertThat(dormant.json().path("idle_duration_seconds").asDouble()).isGreaterThan(2);
        assertThat(dormant.text("last_activity_at")).isNotEmpty();
        assertThat(dormant.text("pid")).isEqualTo(pid);
        assertThat(ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(watch.listed(f)).contains("pid");
        assertThat(fleet.records().on(Topic.CATALOG))
                .filteredOn(r -> r.key().equals(f.processId()))
                .isNotEmpty()
                .noneMatch(Received::isTombstone);
        assertThat(watch.statuses(f)).hasSize(5).endsWith("online");

        assertThat(backend.text(f, "args", NONE)).isEqualTo("[\"--kept\"]");
        assertThat(backend.text(f, "env", "{\"name\":\"WHO\"}")).isEqualTo("me");
        assertThat(backend.text(f, "record", NONE)).doesNotContain("tools/list");
        assertThat(backend.text(f, "pid", NONE)).isNotEqualTo(pid);
        var respawned = fleet.records().lifecycle(f, "respawned");
        assertThat(respawned.json().path("respawn_duration_ms").asLong()).isPositive();
        assertThat(respawned.json().has("dormant_duration_seconds")).isTrue();
        assertThat(events(f)).doesNotContain("mcp.server.crashed", "mcp.server.restarted");
        assertThat(watch.statuses(f)).hasSize(5).endsWith("online");
    }

    @Test
    @DisplayName("PRO-64, PRO-66: a dormant instance is uninstalled: {active:false, dormant:true}")
    void uninstallDormant() {
        var f = backend.install(Installation.fixture());
        fleet.records().lifecycle(f, "dormant");

        var result = backend.uninstall(f);

        assertThat(result.json().at("/result/active").asBoolean(true)).isFalse();
        assertThat(result.json().at("/result/dormant").asBoolean()).isTrue();
        assertThat(backend.call(f, "echo", NONE).text("error/code")).isEqualTo("unknown_server");
    }

    @Test
    @DisplayName(
            "PRO-48, PRO-85, PRO-86, PRO-88, PRO-89, PRO-90: heartbeats and the debug page agree with"
                    + " the events")
    void state() {
        var busy = backend.install(Installation.fixture());
        // Keeps it from becoming idle while the others are looked at.
        backend.request(
                busy, "sleep", "{\"ms\":100000}", request -> request.put("timeout_ms", 120_000));
        for (int call = 0; call < 5; call++) {
            backend.call(busy, "echo", "{\"message\":\"x\"}");
        }
        var asleep = backend.install(Installation.fixture());
        var failed = backend.install(Installation.fixture());
        for (int crash = 1; crash <= 3; crash++) {
            backend.call(failed, "crash", "{\"code\":1}");
            var crashes = fleet.records().lifecycle(failed, "crashed", crash);
            assertThat(crashes.getLast().json().path("crash_count").asInt()).isEqualTo(crash);
        }
        fleet.records().lifecycle(failed, "permanently_failed");
        fleet.records().lifecycle(asleep, "dormant");

        var heartbeat =
                fleet.records()
                        .await(
                                Topic.HEARTBEATS,
                                "heartbeat of all three",
                                r ->
                                        process(r, asleep).path("dormant").asBoolean()
                                                && process(r, failed)
                                                        .path("status")
                                                        .asString("")
                                                        .equals("permanently_failed")
                                                && process(r, busy).path("active_requests").asInt()
                                                        == 1);

        assertThat(heartbeat.json().path("dormant_count").asInt()).isPositive();
        assertThat(heartbeat.json().at("/counts_by_state/running").asInt()).isPositive();
        assertThat(heartbeat.json().at("/counts_by_state/failed").asInt()).isEqualTo(1);
        var running = process(heartbeat, busy);
        assertThat(running.path("state").asString()).isEqualTo("running");
        // Handshake, a page of tools or more, the call that lasts, and five.
        assertThat(running.path("message_count").asLong()).isGreaterThanOrEqualTo(8);
        assertThat(running.path("error_count").asLong()).isZero();
        assertThat(running.path("last_activity_at").asString("")).isNotEmpty();
        assertThat(running.path("installation_name").asString()).isEqualTo(busy.processId());
        var later =
                fleet.records()
                        .await(
                                Topic.HEARTBEATS,
                                "a later heartbeat",
                                r ->
                                        process(r, busy).path("uptime_seconds").asDouble()
                                                > running.path("uptime_seconds").asDouble());
        assertThat(process(later, busy).path("pid")).isEqualTo(running.path("pid"));
        assertThat(process(heartbeat, asleep).path("pid").isNumber()).isFalse();
        assertThat(process(heartbeat, failed).path("crash_count").asInt()).isEqualTo(3);

        assertThat(debug("team=" + busy.teamId())).containsExactly(busy.processId());
        assertThat(debug("name=" + asleep.processId())).containsExactly(asleep.processId());
        assertThat(debug("process=" + failed.processId() + "&state=failed"))
                .containsExactly(failed.processId());
        assertThat(debug("team=" + failed.teamId() + "&state=running")).isEmpty();
    }

    /** What a heartbeat says of an instance, under its team. */
    private static JsonNode process(Received heartbeat, Installation installation) {
        var team = heartbeat.json().path("processes_by_team").path(installation.teamId());
        return StreamSupport.stream(team.spliterator(), false)
                .filter(it -> it.path("process_id").asString().equals(installation.processId()))
                .findFirst()
                .orElse(team.path("none"));
    }

    /** The process ids that the worker's debug page finds. */
    private List<String> debug(String query) {
        return watch.debug(query).stream().map(it -> it.path("process_id").asString()).toList();
    }

    private List<String> events(Installation installation) {
        return of(Topic.LIFECYCLE, installation, "event");
    }

    private List<String> of(Topic topic, Installation installation, String field) {
        return fleet.records().on(topic).stream()
                .filter(r -> r.key().equals(installation.processId()))
                .map(r -> r.text(field))
                .toList();
    }
}
