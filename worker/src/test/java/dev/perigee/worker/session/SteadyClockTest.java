package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class SteadyClockTest {
    private static final Instant BEGIN = Instant.parse("2026-11-21T10:00:00Z");

    @Test
    @DisplayName("OWN-01: goes on evenly though the wall clock is set forward or back")
    void goesOnEvenly() {
        var wall = new AtomicReference<>(BEGIN);
        var nanos = new AtomicLong(Long.MAX_VALUE - 5);
        var clock = new SteadyClock(wall::get, nanos::get);

        wall.set(BEGIN.plus(Duration.ofHours(1)));
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(clock.instant()).isEqualTo(BEGIN.plusSeconds(2));

        wall.set(BEGIN.minus(Duration.ofHours(1)));
        nanos.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(clock.instant()).isEqualTo(BEGIN.plusSeconds(5));
    }
}
