package dev.perigee.testing.fleet;

import static dev.perigee.testing.FaultTime.pass;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.history.LiveServers;
import dev.perigee.testing.history.SteadyLoad;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers stopped by SIGSTOP that continue after their sessions were given to others. */
@DisplayName("A part that was frozen")
final class FrozenTest {
    private static final Duration PACE = Duration.ofMillis(50);

    @Test
    @DisplayName("RES-04, FLT-01, FLT-08: a worker: its processes end before others begin")
    void worker(@TempDir Path folder) throws Exception {
        try (var fleet =
                        FleetUnderTest.named("frozen-worker")
                                .workers(2)
                                .gateway("group.session-timeout", "6s")
                                .gateway("group.heartbeat-interval", "1s")
                                .gateway("link.retention-surplus", "0s")
                                .gateway("link.recovery-margin", "2s")
                                .gateway("link.ping-interval", "500ms")
                                .gateway("link.dead-after", "2s")
                                .worker("link.retention", "8s")
                                .start();
                var load = SteadyLoad.on(fleet, folder, 6, PACE)) {
            var pids = load.pids();

            fleet.part("worker-1").signal("STOP");
            var elsewhere = load.pidsAtLast();
            fleet.part("worker-1").signal("CONT");
            assertThat(elsewhere).isNotEqualTo(pids);
            assertThat(load.pids()).isEqualTo(elsewhere);

            var history = load.history();
            System.out.printf(
                    "A frozen worker: %s, slowest %d ms%n",
                    history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
        }
    }

    /** Shorter than the retention, else the worker's watchdog would end its servers. */
    @Test
    @DisplayName("OWN-01: a worker that is cut off as it thaws: its time frozen counts")
    void workerCutOffAsItThaws(@TempDir Path folder) throws Exception {
        try (var fleet =
                        FleetUnderTest.named("thawed-cut-off")
                                .faultyPairs()
                                .workers(2)
                                .gateway("link.retention-surplus", "0s")
                                .gateway("link.recovery-margin", "2s")
                                .gateway("link.ping-interval", "500ms")
                                .gateway("link.dead-after", "2s")
                                .gateway("placement.margin", "2s")
                                .worker("link.ping-interval", "500ms")
                                .worker("link.dead-after", "2s")
                                .worker("link.retention", "12s")
                                .start();
                var load = SteadyLoad.on(fleet, folder, 6, PACE)) {
            var pids = load.pids();

            fleet.part("worker-1").signal("STOP");
            pass(Duration.ofSeconds(9));
            fleet.link(1, 1).partition();
            fleet.part("worker-1").signal("CONT");
            var elsewhere = load.pidsAtLast();
            assertThat(elsewhere).isNotEqualTo(pids);
            fleet.link(1, 1).heal();
            assertThat(load.pids()).isEqualTo(elsewhere);

            var history = load.history();
            System.out.printf(
                    "A worker that was cut off as it thawed: %s, slowest %d ms%n",
                    history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
        }
    }

    @Test
    @DisplayName("a worker that thaws before it is given up: its servers end with it, uncrashed")
    void workerThatIsWaitedFor(@TempDir Path folder) throws Exception {
        try (var fleet =
                        FleetUnderTest.named("thawed-worker")
                                .workers(2)
                                .gateway("group.session-timeout", "6s")
                                .gateway("group.heartbeat-interval", "1s")
                                .gateway("link.retention-surplus", "0s")
                                .gateway("link.dead-after", "30s")
                                .worker("link.retention", "8s")
                                .start();
                var load = SteadyLoad.on(fleet, folder, 6, PACE)) {
            var pids = load.pids();

            fleet.part("worker-1").signal("STOP");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(40))
                    .until(() -> !pids.stream().map(Long::valueOf).allMatch(LiveServers::isAlive));
            fleet.part("worker-1").signal("CONT");
            var _ = fleet.part("worker-1").awaitExit();
            var elsewhere = load.pidsAtLast();

            assertThat(elsewhere).isNotEqualTo(pids).doesNotHaveDuplicates();
            assertThat(load.history().violations()).isEmpty();
            assertThat(fleet.records().on(Topic.LIFECYCLE))
                    .extracting(event -> event.text("event"))
                    .contains("mcp.server.started")
                    .doesNotContain("mcp.server.crashed", "mcp.server.permanently_failed");
        }
    }
}
