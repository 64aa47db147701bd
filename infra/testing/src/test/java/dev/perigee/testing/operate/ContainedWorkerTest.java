package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real container around a real worker, whose servers are in real jails. */
@DisplayName("A worker in a container, restricted as the compose file has it,")
@NeedsProgram({Program.RUNC, Program.BUBBLEWRAP})
final class ContainedWorkerTest {
    @TempDir Path directory;

    @Test
    @DisplayName("TEN-13: makes jails under a profile of its own, with nothing else to write to")
    void serves() throws Exception {
        var missing = OciWorker.missing();
        if (!missing.isEmpty()) {
            Program.RUNC.cannot(missing);
        }
        try (var fleet = FleetUnderTest.named("contained").workers(0).spareWorkers(1).start()) {
            var settings =
                    Map.of(
                            "worker.id",
                            fleet.workerId(1),
                            "link.listen",
                            fleet.linkAuthority(1),
                            "link.token",
                            FleetUnderTest.TOKEN,
                            "admin.listen",
                            "127.0.0.1:0",
                            "worker.drain-timeout",
                            "2s",
                            "isolation.read-only-paths",
                            Fixtures.script().toString());
            try (var worker =
                    OciWorker.start(
                            directory,
                            Compose.read().at("/services/worker-1"),
                            settings,
                            List.of(Fixtures.script()))) {
                try {
                    call(fleet);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(worker.log(), e);
                }
            }
        }
    }

    private static void call(FleetUnderTest fleet) {
        var backend = fleet.backend();
        var f = backend.install(Installation.fixture());

        assertThat(backend.text(f, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo("2");
        var heartbeat = fleet.records().await(Topic.HEARTBEATS, "heartbeat", r -> true);
        assertThat(heartbeat.text("isolation")).startsWith("bubblewrap");
    }
}
