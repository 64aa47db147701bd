package dev.perigee.part.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.settings.SettingsReader;
import dev.perigee.worker.WorkerSettings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A worker that is told to end")
final class WorkerCommandTest {
    @Test
    @DisplayName("is not given up before it has drained and ended its servers")
    void waits() {
        var settings =
                new SettingsReader(WorkerSettings.SCHEMA)
                        .addEnvironment(
                                Map.of(
                                        "PERIGEE_ISOLATION_MODE", "none",
                                        "PERIGEE_WORKER_DRAIN_TIMEOUT", "120s",
                                        "PERIGEE_PROCESS_TERMINATION_GRACE", "10s"))
                        .read();

        assertThat(WorkerCommand.closeDeadline(settings)).isGreaterThan(Duration.ofSeconds(140));
    }
}
