package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.process.Tenant;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class NetworkLimitsTest {
    private static final Duration IDLE = Duration.ofHours(1);

    @Test
    @DisplayName("a few instances leave something to others")
    void shares() {
        var limits = new NetworkLimits(100, 1600, IDLE);
        assertThat(limits.admits(99, 99, 1199)).isTrue();
        assertThat(limits.admits(100, 100, 100)).isFalse();
        assertThat(limits.admits(50, 50, 1200)).isFalse();
        assertThat(limits.admits(15, 15, 1599)).isTrue();
        assertThat(limits.admits(0, 0, 1600)).isFalse();
        assertThat(new NetworkLimits(4, 1600, IDLE).admits(4, 4, 1200)).isFalse();
    }

    @Test
    @DisplayName("a user's many instances have an eighth together")
    void owners() {
        var limits = new NetworkLimits(100, 400, IDLE);
        assertThat(limits.admits(0, 49, 49)).isTrue();
        assertThat(limits.admits(0, 50, 50)).isFalse();
        assertThat(new NetworkLimits(100, 4, IDLE).admits(0, 0, 0)).isTrue();
        assertThat(new NetworkLimits(100, 4, IDLE).admits(0, 1, 1)).isFalse();
    }

    @Test
    @DisplayName(
            "a connection that carries nothing for longer than it may ends, where there is a limit")
    void idle() {
        var limits = new NetworkLimits(100, 400, IDLE);
        assertThat(limits.endsAfter(IDLE.toNanos())).isFalse();
        assertThat(limits.endsAfter(IDLE.toNanos() + 1)).isTrue();
        assertThat(new NetworkLimits(100, 400, Duration.ZERO).endsAfter(Long.MAX_VALUE)).isFalse();
        var longest = Duration.ofSeconds(Long.MAX_VALUE);
        assertThat(new NetworkLimits(100, 400, longest).endsAfter(Long.MAX_VALUE)).isFalse();
    }

    @Test
    @DisplayName("silence begins with the look that saw the last byte")
    void silence() {
        var silence = new Silence(1000);
        assertThat(silence.nanos(0, 1500)).isEqualTo(500);
        assertThat(silence.nanos(1, 2000)).isZero();
        assertThat(silence.nanos(1, 2500)).isEqualTo(500);
        assertThat(silence.nanos(2, 3000)).isZero();
        assertThat(silence.nanos(2, 9000)).isEqualTo(6000);
    }

    @Test
    @DisplayName("a share is an owner's, and gone with its last")
    void counts() {
        var shares = new Shares();
        var owner = new Tenant("t", "u");
        shares.add(owner);
        shares.add(new Tenant("t", "u"));
        shares.add(new Tenant("t", "v"));
        assertThat(shares.of(owner)).isEqualTo(2);
        shares.remove(owner);
        shares.remove(owner);
        assertThat(shares.of(owner)).isZero();
        assertThat(shares.of(new Tenant("t", "v"))).isEqualTo(1);
    }

    @Test
    @DisplayName("a pace lets a second's worth through at once, then one after the other")
    void pace() {
        long now = 5_000_000_000L;
        var pace = new RateLimiter(10, now);
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
