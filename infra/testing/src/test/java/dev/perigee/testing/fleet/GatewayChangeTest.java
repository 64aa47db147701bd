package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.history.Load;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a change of gateways costs those who call meanwhile: time, and nothing else. */
@DisplayName("Under load, gateways")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GatewayChangeTest {
    private static final Duration PACE = Duration.ofMillis(20);

    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("gateway-change").gateways(2).start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("RES-22: are restarted one by one, by SIGTERM")
    void restarted(@TempDir Path folder) {
        try (var load = Load.on(fleet, folder, 6, PACE)) {
            var pids = load.pids();
            for (int gateway = 1; gateway <= 2; gateway++) {
                assertThat(fleet.part("gateway-" + gateway).terminate()).isIn(0, 143);
                assertThat(load.pids()).isEqualTo(pids);
                fleet.startGateway(gateway).awaitReady();
            }
            nothingButTime(load, pids, "Two planned restarts");
        }
    }

    @Test
    @DisplayName("RES-20: are lost, by kill -9")
    void killed(@TempDir Path folder) {
        try (var load = Load.on(fleet, folder, 6, PACE)) {
            var pids = load.pids();
            fleet.part("gateway-1").kill();
            nothingButTime(load, pids, "An unplanned loss");
            fleet.startGateway(1).awaitReady();
        }
    }

    private static void nothingButTime(Load load, List<String> pids, String what) {
        assertThat(load.pids()).isEqualTo(pids);
        var history = load.history();
        System.out.printf(
                "%s: %s, slowest %d ms%n", what, history.counts(), history.slowest().toMillis());
        assertThat(history.violations()).isEmpty();
        assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
    }
}
