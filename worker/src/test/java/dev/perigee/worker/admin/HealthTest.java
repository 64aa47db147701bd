package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.admin.Health.Check;
import dev.perigee.worker.admin.Health.Obstacle;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HealthTest {
    @Test
    void namesOnlyWhatDoesNotHold() {
        var health =
                new Health(
                        "ready",
                        List.of(
                                new Check("link", "Gateways cannot connect.", () -> true),
                                new Check("sessions", "The worker is leaving.", () -> false)));

        var answer = health.ask();

        assertThat(answer.isWell()).isFalse();
        assertThat(answer.status()).isEqualTo("not_ready");
        assertThat(answer.obstacles())
                .containsExactly(new Obstacle("sessions", "The worker is leaving."));
    }
}
