package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class NetworkLimitsTest {
    @Test
    @DisplayName("a few instances leave something to others")
    void shares() {
        var limits = new NetworkLimits(100, 400);
        assertThat(limits.admits(99, 299)).isTrue();
        assertThat(limits.admits(100, 100)).isFalse();
        assertThat(limits.admits(50, 300)).isFalse();
        assertThat(limits.admits(15, 399)).isTrue();
        assertThat(limits.admits(0, 400)).isFalse();
        assertThat(new NetworkLimits(4, 400).admits(4, 300)).isFalse();
    }

    @Test
    @DisplayName("a pace lets a second's worth through at once, then one after the other")
    void pace() {
        long now = 5_000_000_000L;
        var pace = new Pace(10, now);
        int taken = 0;
        while (pace.due() <= now) {
            pace.take(now);
            taken++;
        }
        assertThat(taken).isEqualTo(11);
        assertThat(pace.due() - now).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        long later = now + TimeUnit.HOURS.toNanos(1);
        pace.take(later);
        assertThat(pace.due()).isEqualTo(later - TimeUnit.MILLISECONDS.toNanos(900));
    }
}
