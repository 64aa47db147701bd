package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.instance.RestartPolicy.Decision;
import dev.perigee.worker.log.LogOptions;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.process.isolation.NoIsolation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The pure decisions of an instance. */
final class DecisionsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    @Test
    @DisplayName("PRO-81, PRO-82, PRO-83, PRO-84, REC-40, REC-43: what follows a crash")
    void decidesOnCrashes() {
        var policy = RestartPolicy.defaults();
        var quick = Duration.ofSeconds(60);
        assertThat(policy.decide(1, quick)).isEqualTo(new Decision(1, true, Duration.ofSeconds(1)));
        assertThat(policy.decide(2, quick)).isEqualTo(new Decision(2, true, Duration.ofSeconds(5)));
        assertThat(policy.decide(3, quick)).isEqualTo(new Decision(3, false, Duration.ZERO));
        assertThat(policy.decide(2, Duration.ofSeconds(61)))
                .isEqualTo(new Decision(2, true, Duration.ZERO));
        var four = new RestartPolicy(4, policy.window(), policy.longUptime(), policy.delays());
        assertThat(four.decide(3, quick)).isEqualTo(new Decision(3, true, Duration.ofSeconds(15)));
        assertThat(four.decide(4, quick).willRestart()).isFalse();
    }

    @Test
    @DisplayName("TEN-08: who is ended for want of memory that others took waits ever longer")
    void waitsForMemory() {
        var policy = RestartPolicy.defaults();
        assertThat(IntStream.rangeClosed(1, 9).mapToObj(policy::afterShortage))
                .extracting(Duration::toSeconds)
                .containsExactly(1L, 5L, 15L, 30L, 60L, 120L, 240L, 300L, 300L);
        assertThat(policy.afterShortage(Integer.MAX_VALUE)).isEqualTo(policy.window());
        var atOnce =
                new RestartPolicy(3, policy.window(), policy.longUptime(), List.of(Duration.ZERO));
        assertThat(atOnce.afterShortage(2)).isEqualTo(Duration.ofSeconds(2));
        var rare = List.of(Duration.ofHours(1));
        assertThat(
                        new RestartPolicy(3, policy.window(), policy.longUptime(), rare)
                                .afterShortage(5))
                .isEqualTo(Duration.ofHours(1));
    }

    @Test
    @DisplayName("REC-39: the window slides")
    void countsWithinTheWindow() {
        var policy = RestartPolicy.defaults();
        var crashes = List.of(NOW.minusSeconds(301), NOW.minusSeconds(299), NOW);
        assertThat(policy.recent(crashes, NOW)).hasSize(2);
    }

    @Test
    void hasNoOtherWays() {
        var lifecycle = new Lifecycle();
        assertThatThrownBy(() -> lifecycle.to(InstanceState.RUNNING))
                .isInstanceOf(IllegalStateException.class);
        lifecycle.to(InstanceState.STARTING);
        lifecycle.to(InstanceState.RUNNING);
        assertThatThrownBy(() -> lifecycle.to(InstanceState.STARTING))
                .isInstanceOf(IllegalStateException.class);
        lifecycle.to(InstanceState.TERMINATING);
        assertThatThrownBy(() -> lifecycle.to(InstanceState.RUNNING))
                .isInstanceOf(IllegalStateException.class);
        lifecycle.to(InstanceState.TERMINATED);
    }

    @Test
    void keepsWhatIsDurable() {
        var state = new DurableState(ONLINE, "m", true, List.of(NOW), Set.of("b", "a"), null);
        assertThat(DurableState.read(state.write())).isEqualTo(state);
        assertThat(DurableState.read(RawJson.of("{\"synced\":true,\"new_field\":1}")))
                .isEqualTo(new DurableState(null, null, true, List.of(), Set.of(), null));
        assertThat(DurableState.read(RawJson.of("[]"))).isEqualTo(DurableState.none());
        assertThat(DurableState.read(null)).isEqualTo(DurableState.none());
    }

    @Test
    @DisplayName("PRO-25: programs and arguments that are refused")
    void refusesCommands() {
        var config = InstanceBench.server("a", ";", "--");
        assertThat(LaunchPlan.refusal(config, List.of("*"), true)).isNull();
        assertThat(LaunchPlan.refusal(config, List.of("node", "npx"), true)).isNull();
        assertThat(LaunchPlan.refusal(config, List.of("npx"), true)).contains("'node'");
        assertThat(LaunchPlan.refusal(InstanceBench.server("a", "x\0"), List.of("*"), true))
                .contains("NUL");
        assertThat(
                        LaunchPlan.refusal(
                                InstanceBench.server("a", Map.of("A=", "b")), List.of("*"), true))
                .contains("name");
    }

    @Test
    @DisplayName("PRO-09: the worker's environment is inherited, its own settings are not")
    void inheritsTheEnvironment() {
        var config = InstanceBench.server("a", Map.of("MINE", "1", "HOME", "/other"));
        var isolation =
                new NoIsolation(
                        Map.of("PATH", "/bin", "HOME", "/root", "PERIGEE_LINK_TOKEN", "secret"),
                        Path.of("/none"));
        var spec = isolation.enclose(LaunchPlan.of(config));
        assertThat(spec.environment())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("PATH", "/bin", "HOME", "/other", "MINE", "1"));
    }

    @Test
    void hasTheNumbersOfTheDecisions() {
        var options = InstanceSettings.read(InstanceSettings.SCHEMA.defaults());
        assertThat(options.restart()).isEqualTo(RestartPolicy.defaults());
        assertThat(options.logs()).isEqualTo(LogOptions.defaults());
        assertThat(options.mcp()).isEqualTo(McpOptions.defaults());
        assertThat(options.handshakeTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.requestTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.terminationGrace()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.transitionWait()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.connectivityTimeout()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void speaksOfTimes() {
        assertThat(ExitTexts.of(Duration.ofMinutes(5))).isEqualTo("5 minutes");
        assertThat(ExitTexts.of(Duration.ofSeconds(1))).isEqualTo("1 second");
        assertThat(ExitTexts.of(Duration.ofMillis(1500))).isEqualTo("1500 ms");
    }
}
