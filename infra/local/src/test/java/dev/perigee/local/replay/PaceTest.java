package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PaceTest {
    private static final Instant FIRST = Instant.parse("2026-11-20T10:00:00Z");
    private static final long NOW = 5_000_000_000L;

    @Test
    void keepsDistancesScaled() {
        var pace = new Pace(new Speed(10.0));

        assertThat(pace.untilDue(FIRST, NOW)).isZero();
        assertThat(pace.untilDue(FIRST.plusSeconds(20), NOW)).isEqualTo(Duration.ofSeconds(2));
        assertThat(pace.untilDue(FIRST.plusSeconds(20), NOW + 1_500_000_000L))
                .isEqualTo(Duration.ofMillis(500));
        assertThat(pace.untilDue(FIRST.plusSeconds(20), NOW + 3_000_000_000L)).isZero();
    }

    @Test
    void isNeverLateAtMaximum() {
        var pace = new Pace(Speed.MAX);

        assertThat(pace.untilDue(FIRST, NOW)).isZero();
        assertThat(pace.untilDue(FIRST.plusSeconds(3_600), NOW)).isZero();
    }

    @Test
    void tellsHowLongItWillTake() {
        var timed =
                new ReplayProgress(
                        10,
                        90,
                        10,
                        Duration.ofSeconds(5),
                        FIRST,
                        FIRST.plusSeconds(600),
                        new Speed(10.0));
        assertThat(timed.timeLeft()).isEqualTo(Duration.ofSeconds(60));
        assertThat(timed.rate()).isEqualTo(2.0);

        var fast = new ReplayProgress(10, 90, 10, Duration.ofSeconds(5), FIRST, null, Speed.MAX);
        assertThat(fast.timeLeft()).isEqualTo(Duration.ofSeconds(45));
        assertThat(fast.part()).isEqualTo(0.1);
    }
}
