package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.process.Tenant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class NetworkLimitsTest {
    @Test
    @DisplayName("a few instances leave something to others")
    void shares() {
        var limits = new NetworkLimits(100, 1600);
        assertThat(limits.admits(99, 99, 1199)).isTrue();
        assertThat(limits.admits(100, 100, 100)).isFalse();
        assertThat(limits.admits(50, 50, 1200)).isFalse();
        assertThat(limits.admits(15, 15, 1599)).isTrue();
        assertThat(limits.admits(0, 0, 1600)).isFalse();
        assertThat(new NetworkLimits(4, 1600).admits(4, 4, 1200)).isFalse();
    }

    @Test
    @DisplayName("a user's many instances have an eighth together")
    void owners() {
        var limits = new NetworkLimits(100, 400);
        assertThat(limits.admits(0, 49, 49)).isTrue();
        assertThat(limits.admits(0, 50, 50)).isFalse();
        assertThat(new NetworkLimits(100, 4).admits(0, 0, 0)).isTrue();
        assertThat(new NetworkLimits(100, 4).admits(0, 1, 1)).isFalse();
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
