package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The first restart is as late as usual, the others are soon: a tenth of a second stands for 5. */
@DisplayName("A process that crashes, through topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CrashRecoveryTest {

    private static final String NONE = "{}";

    /** Four times as long as the longest delay before a restart, as 60 s are with 15 s. */
    private static final Duration LONG = Duration.ofSeconds(4);

    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);

    private FleetUnderTest fleet;
    private Backend backend;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("crash-recovery")
                        .worker("restart.delays", "1s,100ms,200ms")
                        .start();
        backend = fleet.backend();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName(
            "REC-01, REC-46, PRO-81: is restarted after the pause, as it was, by itself or by a command")
    void comesBack() {
        var f = backend.install(Installation.fixture("--kept", "a b").withEnv("WHO", "me"));
        var watch = StatusWatch.ofOnline(fleet, f);
        var pid = backend.text(f, "pid", NONE);
        var args = backend.text(f, "args", NONE);
        var env = env(f);
        assertThat(args).isEqualTo("[\"--kept\",\"a b\"]");
        assertThat(env.path("WHO").asString()).isEqualTo("me");

        backend.call(f, "crash", "{\"code\":1}");

        var crashed = fleet.records().lifecycle(f, "crashed");
        assertThat(crashed.json().path("will_restart").asBoolean()).isTrue();
        var restarted = fleet.records().lifecycle(f, "restarted");
        assertThat(restarted.text("old_pid")).isEqualTo(pid);
        assertThat(Duration.between(timeOf(crashed), timeOf(restarted)))
                .isBetween(FIRST_DELAY.minusMillis(50), FIRST_DELAY.plusSeconds(20));
        watch.await("online");
        assertThat(backend.text(f, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        var next = backend.text(f, "pid", NONE);
        assertThat(next).isNotEqualTo(pid).isEqualTo(restarted.text("new_pid"));
        assertThat(watch.statuses()).containsExactly("connecting", "discovering_tools", "online");
        assertThat(backend.text(f, "args", NONE)).isEqualTo(args);
        assertThat(env(f)).isEqualTo(env);

        backend.result(backend.command(f, "restart", UnaryOperator.identity()));

        assertThat(backend.text(f, "pid", NONE)).isNotEqualTo(next);
        assertThat(backend.text(f, "args", NONE)).isEqualTo(args);
        assertThat(env(f)).isEqualTo(env);
    }

    @Test
    @DisplayName("REC-48: calls before its restart get one answer each")
    void answersWhatCameBeforeTheRestart() {
        var f = backend.install(Installation.fixture());
        backend.call(f, "crash", "{\"code\":1}");
        fleet.records().lifecycle(f, "crashed");

        var ids =
                IntStream.range(0, 20)
                        .mapToObj(i -> backend.request(f, "echo", "{\"message\":\"" + i + "\"}"))
                        .toList();

        assertThat(backend.answers(ids))
                .allMatch(
                        answer ->
                                answer.text("outcome").equals("success")
                                        || answer.json().at("/error/retryable").asBoolean())
                .anyMatch(answer -> answer.text("outcome").equals("success"));
        backend.text(f, "echo", "{\"message\":\"last\"}");
        backend.uninstall(f);
        assertThat(fleet.records().matching(r -> ids.contains(r.text("request_id")))).hasSize(20);
    }

    @Test
    @DisplayName("REC-41, REC-44, REC-52: fails for good alone, and stays so whoever calls it")
    void failsAlone() {
        var alice = backend.install(Installation.fixture("--mark-alice"));
        var bob = backend.install(alice.ofUser("bob").withArgs(Installation.fixture().args()));
        var watch = StatusWatch.ofOnline(fleet, bob);
        var pid = backend.text(bob, "pid", NONE);
        for (int crash = 1; crash <= 3; crash++) {
            backend.call(alice, "crash", "{\"code\":1}");
            var crashes = fleet.records().lifecycle(alice, "crashed", crash);
            assertThat(crashes.getLast().json().path("crash_count").asInt()).isEqualTo(crash);
        }

        var failed = fleet.records().lifecycle(alice, "permanently_failed");
        assertThat(failed.text("installation_id")).isEqualTo(alice.installationId());
        assertThat(failed.text("team_id")).isEqualTo(alice.teamId());
        assertThat(failed.text("process_id")).isEqualTo(alice.processId());
        assertThat(failed.json().path("crash_count").asInt()).isEqualTo(3);
        assertThat(failed.text("message")).isEqualTo("Process crashed 3 times in 5 minutes");
        assertThat(failed.text("timestamp"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");

        long end = System.nanoTime() + LONG.toNanos();
        while (System.nanoTime() < end) {
            assertThat(backend.call(alice, "echo", NONE).text("error/code"))
                    .isEqualTo("permanently_failed");
            assertThat(processes("--mark-alice")).isZero();
        }

        assertThat(backend.text(bob, "pid", NONE)).isEqualTo(pid);
        assertThat(watch.statusesUntilTheEnd()).isEmpty();
    }

    @Test
    @DisplayName("REC-53: that did not list its tools is asked again when it answers a call")
    void listsItsToolsLater() {
        var f = Installation.fixture("--list-error", "1");
        var watch = StatusWatch.ofAll(fleet, f);
        var installed = backend.result(backend.configure(f, "mcp_installation_created"));
        assertThat(installed.text("result/resulting_status")).isEqualTo("error");

        assertThat(backend.text(f, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");

        watch.await("online");
        assertThat(watch.statuses())
                .containsSubsequence("error", "connecting", "discovering_tools", "online");
        assertThat(backend.ask(f, "tools/list", null).json().at("/result/tools").size())
                .isPositive();
    }

    private static Instant timeOf(Received event) {
        return Instant.parse(event.text("timestamp"));
    }

    /** What the process finds in its environment, but for the number of its start. */
    private JsonNode env(Installation installation) {
        var text = backend.text(installation, "env", NONE);
        var all = (ObjectNode) Json.tree(text.getBytes(StandardCharsets.UTF_8));
        return all.without("PERIGEE_OWNER");
    }

    private long processes(String mark) {
        return fleet.processesOfServers().stream()
                .filter(process -> process.info().commandLine().orElse("").contains(mark))
                .count();
    }
}
