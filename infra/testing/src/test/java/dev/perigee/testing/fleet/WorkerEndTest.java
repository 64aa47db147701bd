package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When a worker ends")
final class WorkerEndTest {

    @Test
    @DisplayName(
            "PRO-115, PRO-52: by kill -9, no process stays, not even one that ignores everything")
    void killed() throws Exception {
        try (var fleet = FleetUnderTest.named("worker-killed").start()) {
            fleet.backend()
                    .install(
                            Installation.fixture(
                                    "--ignore-eof", "--ignore-term", "--fork", "--fork-detached"));
            fleet.backend().install(Installation.fixture());
            assertThat(serverPids(fleet)).hasSizeGreaterThanOrEqualTo(4);

            fleet.part("worker-1").kill();

            assertNoServerStays(fleet);
        }
    }

    @Test
    @DisplayName("PRO-114: by SIGTERM, its servers are ended and their last lines sent")
    void terminated() throws Exception {
        try (var fleet = FleetUnderTest.named("worker-terminated").start()) {
            var f = fleet.backend().install(Installation.fixture("--fork"));

            int exitCode = fleet.part("worker-1").terminate();

            assertThat(exitCode).isIn(0, 143);
            assertNoServerStays(fleet);
            assertThat(fleet.part("worker-1").output()).doesNotContain("Exception in thread");
            assertThat(fleet.part("gateway-1").alive()).as("%s", f.processId()).isTrue();
        }
    }

    @Test
    @DisplayName(
            "RES-19, STA-42: and starts again, its instances come back with new processes, and are"
                    + " online with them only")
    void restarted() throws Exception {
        try (var fleet = FleetUnderTest.named("worker-restarted").start()) {
            var f = fleet.backend().install(Installation.fixture());
            var watch = new Watch(fleet);
            var pid = fleet.backend().text(f, "pid", "{}");
            fleet.backend().status(f, "online");
            int known = watch.statuses(f).size();

            fleet.part("worker-1").kill();
            fleet.startWorker(1).awaitReady();

            watch.follows(f, known, "connecting", "discovering_tools", "online");
            long online = watch.told(f).getLast().json().path("pid").asLong();
            assertThat(ProcessHandle.of(online).filter(ProcessHandle::isAlive)).isPresent();
            assertThat(fleet.backend().text(f, "pid", "{}"))
                    .isEqualTo(Long.toString(online))
                    .isNotEqualTo(pid);
        }
    }

    private static void assertNoServerStays(FleetUnderTest fleet) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(serverPids(fleet)).isEmpty());
    }

    private static List<String> serverPids(FleetUnderTest fleet) {
        return fleet.processesOfServers().stream()
                .map(process -> process.pid() + " " + process.info().commandLine().orElse(""))
                .toList();
    }
}
