package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.history.Load;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Gateways that are restarted one by one")
final class RollingRestartTest {

    @Test
    @DisplayName("RES-22: under load lose no call, run none twice, delay none for long")
    void restarts(@TempDir Path folder) throws Exception {
        try (var fleet = FleetUnderTest.named("rolling-restart").gateways(2).start();
                var load = Load.on(fleet, folder, 6, Duration.ofMillis(20))) {
            var pids = load.pids();
            for (int gateway = 1; gateway <= 2; gateway++) {
                assertThat(fleet.part("gateway-" + gateway).terminate()).isIn(0, 143);
                assertThat(load.pids()).isEqualTo(pids);
                fleet.startGateway(gateway).awaitReady();
            }
            assertThat(load.pids()).isEqualTo(pids);

            var history = load.history();
            System.out.printf(
                    "A rolling restart of 2 gateways: %s, slowest %d ms%n",
                    history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
        }
    }
}
