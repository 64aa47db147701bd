package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.port.FreePort;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-17: a collector that is away")
final class CollectorAwayTest {
    private static FleetUnderTest fleet;

    @BeforeAll
    static void start() throws IOException {
        var nobody = "http://127.0.0.1:" + FreePort.on("127.0.0.1");
        fleet =
                FleetUnderTest.named("collector-away")
                        .gateway("tracing.endpoint", nobody)
                        .gateway("tracing.queue", "2")
                        .worker("tracing.endpoint", nobody)
                        .worker("tracing.queue", "2")
                        .start();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    @Test
    @DisplayName("harms no call, also when the queue is full")
    void harmsNoCall() {
        var server = fleet.backend().install(Installation.fixture());
        long start = System.nanoTime();
        for (var id : fleet.backend().flood(server, "echo", "{\"message\":\"hi\"}", 200)) {
            assertThat(fleet.backend().answer(id).text("outcome")).isEqualTo("success");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
    }
}
