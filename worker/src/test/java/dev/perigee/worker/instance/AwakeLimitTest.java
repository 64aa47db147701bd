package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.tool.ToolOutcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class AwakeLimitTest {
    @Test
    @DisplayName(
            "TEN-11: a server beyond the limit takes the place of an idle one, which comes back")
    void takesTurns() {
        try (var bench = new InstanceBench(Map.of("limits.user.awake", "1"))) {
            var first = InstanceBench.small("first");
            var second = InstanceBench.small("second");
            bench.configure(first);

            assertThat(bench.configure(second).outcome()).isEqualTo(CommandOutcome.COMPLETED);
            await().untilAsserted(() -> assertThat(bench.snapshot(first).dormant()).isTrue());
            assertThat(bench.snapshot(first).status()).isEqualTo(ServerStatus.ONLINE);

            assertThat(bench.call(first, "pid", Map.of()).outcome()).isEqualTo(ToolOutcome.SUCCESS);
            await().untilAsserted(() -> assertThat(bench.snapshot(second).dormant()).isTrue());
        }
    }

    @Test
    @DisplayName("TEN-11: where none is idle it is refused with the limit's name, until one ends")
    void refuses() {
        var settings = Map.of("limits.user.awake", "1", "tool.transition-wait", "6s");
        try (var bench = new InstanceBench(settings)) {
            var busy =
                    InstanceBench.program(
                            "busy",
                            TransportType.COMMAND,
                            "sleep",
                            List.of("1000"),
                            Map.of(),
                            null);
            var late = InstanceBench.small("late");
            bench.configure(busy);

            var refused = bench.configure(late);

            assertThat(refused.outcome()).isEqualTo(CommandOutcome.FAILED);
            assertThat(refused.error())
                    .satisfies(
                            error -> {
                                assertThat(error.code()).isEqualTo("too_many_awake");
                                assertThat(error.message()).contains("limits.user.awake is 1");
                            });
            assertThat(bench.snapshot(late).status()).isEqualTo(ServerStatus.ERROR);
            assertThat(bench.snapshot(late).crashCount()).isZero();
            var call = bench.call(late, "pid", Map.of());
            assertThat(call.error())
                    .satisfies(error -> assertThat(error.message()).contains("limits.user.awake"));

            bench.settle(bench.instances.remove(bench.order(busy.processId())));
            assertThat(bench.call(late, "pid", Map.of()).outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }
    }
}
