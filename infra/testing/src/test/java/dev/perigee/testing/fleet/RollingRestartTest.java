package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a new version costs those who call meanwhile: one part after the other is told to stop and
 * started again, the next when all that there is says that it is ready.
 */
@DisplayName("A rolling restart under load, with default settings,")
@Tag("long")
final class RollingRestartTest {
    private static final Duration PACE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int GATEWAYS = 3;
    private static final int WORKERS = 3;
    private static final int SERVERS = 12;

    @Test
    @DisplayName("OWN-18: of all gateways, then of all workers: no call fails")
    void restarted(@TempDir Path folder) throws IOException {
        try (var fleet =
                        FleetUnderTest.named("rolling-restart")
                                .gateways(GATEWAYS)
                                .workers(WORKERS)
                                .start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            var pids = load.pids();

            for (int gateway = 1; gateway <= GATEWAYS; gateway++) {
                assertThat(fleet.part("gateway-" + gateway).terminate()).isIn(0, 143);
                fleet.startGateway(gateway);
                awaitReady(fleet);
            }
            assertThat(load.pids()).isEqualTo(pids);
            int sent = load.sent();

            for (int worker = 1; worker <= WORKERS; worker++) {
                assertThat(fleet.part("worker-" + worker).terminate()).isIn(0, 143);
                fleet.startWorker(worker);
                awaitReady(fleet);
            }
            assertThat(load.pids()).doesNotContainAnyElementsOf(pids);
            assertThat(load.sent()).as("the load went on").isGreaterThan(sent);

            var history = load.history();
            System.out.printf(
                    "A rolling restart of %d gateways and %d workers: %s, slowest %d ms%n",
                    GATEWAYS, WORKERS, history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
        }
    }

    /** Every part, so that every partition is served and every link is there. */
    private static void awaitReady(FleetUnderTest fleet) {
        fleet.parts()
                .forEach(
                        (name, part) -> {
                            part.awaitReady();
                            Awaitility.await(name)
                                    .atMost(PATIENCE)
                                    .until(() -> PartHealth.of(part).isReady());
                        });
    }
}
