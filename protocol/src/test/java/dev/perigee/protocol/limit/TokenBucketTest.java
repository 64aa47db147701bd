package dev.perigee.protocol.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class TokenBucketTest {
    private Instant now = Instant.parse("2026-11-20T10:00:00Z");
    private final TokenBucket bucket = new TokenBucket(new RateLimit(10, 3), now);

    @Test
    void givesABurstThenTheRate() {
        assertThat(taken(5)).isEqualTo(3);
        pass(99);
        assertThat(taken(1)).isZero();
        pass(1);
        assertThat(taken(2)).isEqualTo(1);
        pass(1_000);
        assertThat(bucket.isFull(now)).isTrue();
        assertThat(taken(5)).isEqualTo(3);
    }

    @Test
    void keepsTheRateOverALongTime() {
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            taken += taken(1);
            pass(1);
        }
        assertThat(taken).isBetween(102, 103);
    }

    @Test
    void saysWhenTokensWillHaveCome() {
        assertThat(bucket.when(3, now)).isEqualTo(now);
        assertThat(bucket.when(4, now)).isEqualTo(now.plusMillis(100));
        taken(3);
        assertThat(bucket.when(1, now)).isEqualTo(now.plusMillis(100));
        now = bucket.when(1, now);
        assertThat(taken(1)).isEqualTo(1);
    }

    @Test
    void standsStillWhileTheClockGoesBack() {
        taken(3);
        pass(-60_000);
        assertThat(taken(1)).isZero();
        pass(60_100);
        assertThat(taken(2)).isEqualTo(1);
    }

    @Test
    void isForRatesThatAreSet() {
        assertThat(RateLimit.NONE.isSet()).isFalse();
        assertThatThrownBy(() -> new TokenBucket(RateLimit.NONE, now))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RateLimit(Double.NaN, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private int taken(int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += bucket.take(now) ? 1 : 0;
        }
        return taken;
    }

    private void pass(long millis) {
        now = now.plus(Duration.ofMillis(millis));
    }
}
