package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class WorkerClockTest {
    private static final Duration LEASE = Duration.ofSeconds(75);

    @Test
    @DisplayName("OWN-01: a lease ends by the worker's clock, no later than by this gateway's")
    void translates() {
        var clock = new WorkerClock(1_000_000, 500_000_000);

        assertThat(clock.untilMs(OptionalLong.of(500_000_000), LEASE)).isEqualTo(1_075_000);
        assertThat(clock.untilMs(OptionalLong.of(200_000_000), LEASE)).isEqualTo(1_074_700);
        assertThat(clock.untilMs(OptionalLong.of(199_999_999), LEASE)).isEqualTo(1_074_699);
        assertThat(clock.untilMs(OptionalLong.of(2_500_000_000L), LEASE)).isEqualTo(1_077_000);
    }

    @Test
    void isOverWhereTheGroupWasNeverHeard() {
        assertThat(new WorkerClock(1_000_000, 5).untilMs(OptionalLong.empty(), LEASE))
                .isLessThan(1_000_000);
    }

    @Test
    void isNotReadFromWorkersThatKnowNoLeases() {
        assertThat(WorkerClock.read(null)).isNull();
    }
}
