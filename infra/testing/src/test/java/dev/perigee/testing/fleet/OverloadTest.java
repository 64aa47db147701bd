package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A worker that takes one order at a time")
final class OverloadTest {

    @Test
    @DisplayName("installs and restores all that it is asked for, one after another")
    void installsAll() throws Exception {
        try (var fleet = FleetUnderTest.named("overload").worker("link.max-orders", "1").start()) {
            var all = Stream.generate(() -> Installation.fixture()).limit(4).toList();
            var commands =
                    all.stream()
                            .map(f -> fleet.backend().configure(f, "mcp_installation_created"))
                            .toList();
            for (var command : commands) {
                assertThat(fleet.backend().result(command).text("outcome")).isEqualTo("completed");
            }
            var before = pids(fleet, all);

            fleet.part("worker-1").kill();
            // A call that is sent before that is known may have run, and is answered so.
            var gateway = fleet.part("gateway-1");
            await().until(() -> !PartHealth.of(gateway).isReady());
            fleet.startWorker(1).awaitReady();

            assertThat(pids(fleet, all)).doesNotContainAnyElementsOf(before);
        }
    }

    private static List<String> pids(FleetUnderTest fleet, List<Installation> all) {
        return all.stream().map(f -> fleet.backend().text(f, "pid", "{}")).toList();
    }
}
