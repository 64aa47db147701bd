package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.Impostor;
import java.net.URI;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-14: A program that listens on a dead worker's address")
final class ImpostorTest {
    private static final String SECRET = "a-secret-of-an-installation";

    @Test
    @DisplayName("learns no secret, and the worker that comes back there is believed")
    void learnsNothing() throws Exception {
        try (var fleet = FleetUnderTest.named("impostor").start()) {
            var server = fleet.backend().install(Installation.fixture().withEnv("KEY", SECRET));
            var port = URI.create(fleet.part("worker-1").field("link")).getPort();
            fleet.part("worker-1").kill();

            try (var impostor = new Impostor(port, Impostor.Trick.GUESSES)) {
                await().atMost(Records.PATIENCE).until(() -> impostor.upgrades() >= 3);

                assertThat(impostor.frames()).isEmpty();
                assertThat(impostor.received())
                        .contains("GET /link")
                        .doesNotContain(FleetUnderTest.TOKEN, SECRET, server.processId());
            }
            assertThat(fleet.part("gateway-1").output())
                    .contains("look which program listens there")
                    .doesNotContain(FleetUnderTest.TOKEN);

            fleet.startWorker(1).awaitReady();

            assertThat(fleet.backend().text(server, "echo", "{\"message\":\"hi\"}"))
                    .isEqualTo("hi");
        }
    }
}
