package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class TenureLeaseTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** It wraps around on the way. */
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

    private final TenureLease lease = new TenureLease(TIMEOUT, clock::get);

    @Test
    void isHeldUntilTheGroupWasHeardOnce() {
        pass(TIMEOUT.multipliedBy(2));
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.heardAt()).isEmpty();
    }

    @Test
    @DisplayName("OWN-05: counts from when the group was asked, not from its answer")
    void countsFromTheQuestion() {
        long asked = lease.now();
        pass(Duration.ofSeconds(4));
        lease.heard(asked);
        lease.heard(asked - 1);
        assertThat(lease.heardAt()).isEqualTo(OptionalLong.of(asked));
        pass(TIMEOUT.minusSeconds(4).minusNanos(1));
        assertThat(lease.isHeld()).isTrue();
        pass(Duration.ofNanos(1));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    @DisplayName("OWN-05: what ran out stays so, also when the group is heard again")
    void whatRanOutStaysSo() {
        lease.heard(lease.now());
        pass(TIMEOUT);
        assertThat(lease.isHeld()).isFalse();
        lease.heard(lease.now());
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    @DisplayName("OWN-05: a claim shows whose the partition is, and does not renew the membership")
    void aClaimRenewsNothing() {
        lease.claimed(lease.now());
        pass(TIMEOUT.minusSeconds(1));
        long asked = lease.now();
        lease.claimed(asked);
        assertThat(lease.heardAt()).isEqualTo(OptionalLong.of(asked));
        assertThat(lease.isHeld()).isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void endsWithTheTenure() {
        lease.heard(lease.now());
        lease.end();
        assertThat(lease.isHeld()).isFalse();
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }
}
