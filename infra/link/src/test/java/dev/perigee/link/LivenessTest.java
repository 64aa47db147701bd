package dev.perigee.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LivenessTest {
    private final Liveness liveness = new Liveness(Duration.ofNanos(10), Long.MAX_VALUE);

    @Test
    void isDeadWhenItWasNotHeardOfInTime() {
        assertThat(liveness.isDead(Long.MAX_VALUE + 9)).isFalse();
        assertThat(liveness.nanosLeft(Long.MAX_VALUE + 9)).isEqualTo(1);
        assertThat(liveness.isDead(Long.MAX_VALUE + 10)).isTrue();
        assertThat(liveness.nanosLeft(Long.MAX_VALUE + 12)).isZero();
    }

    @Test
    void whatIsHeardBeginsTheTimeAnew() {
        liveness.heard(Long.MAX_VALUE + 9);

        assertThat(liveness.isDead(Long.MAX_VALUE + 18)).isFalse();
        assertThat(liveness.isDead(Long.MAX_VALUE + 19)).isTrue();
        assertThat(liveness.age(Long.MAX_VALUE + 19)).isEqualTo(10);
    }
}
