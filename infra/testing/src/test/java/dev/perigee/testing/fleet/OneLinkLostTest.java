package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.FaultTime;
import dev.perigee.testing.history.SteadyLoad;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Longer than a gateway waits for a worker before it gives it up. */
@DisplayName("When one gateway alone does not reach a worker, with default settings,")
@Tag("long")
final class OneLinkLostTest {
    private static final Duration PACE = Duration.ofMillis(50);
    private static final Duration LOST = Duration.ofSeconds(45);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SERVERS = 16;

    @Test
    @DisplayName(
            "OWN-16: one that does serves within 10 s, by the same processes: each call is"
                    + " answered, once")
    void lost(@TempDir Path folder) throws Exception {
        try (var fleet =
                        FleetUnderTest.named("one-link-lost")
                                .faultyPairs()
                                .partitions(32)
                                .gateways(2)
                                .workers(2)
                                .start();
                var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var pids = load.pids();

            fleet.link(1, 1).partition();
            FaultTime.pass(LOST);
            assertThat(load.pids()).isEqualTo(pids);
            assertThat(PartHealth.of(fleet.part("gateway-1")).obstacles())
                    .as("a part that is not reached is told")
                    .isNotEmpty();

            fleet.link(1, 1).heal();
            for (int gateway = 1; gateway <= 2; gateway++) {
                var part = fleet.part("gateway-" + gateway);
                Awaitility.await().atMost(PATIENCE).until(() -> PartHealth.of(part).isReady());
            }
            assertThat(load.pids()).isEqualTo(pids);

            var history = load.history();
            System.out.printf(
                    "A link that one gateway lost: %s, slowest %d ms%n",
                    history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
            assertThat(history.slowest()).isLessThan(Duration.ofSeconds(10));
        }
    }
}
