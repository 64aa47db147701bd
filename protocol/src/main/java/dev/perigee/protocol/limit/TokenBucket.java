package dev.perigee.protocol.limit;

import java.time.Duration;
import java.time.Instant;

/**
 * Token bucket of a {@link RateLimit} that is set: each use takes a token, tokens are added at the
 * rate, at most a burst of them is kept. Full at first. Pure, for one thread at a time; a clock
 * that goes back only delays.
 */
public final class TokenBucket {
    private final RateLimit limit;
    private double tokens;
    private Instant filledAt;

    /**
     * A full bucket.
     *
     * @throws IllegalArgumentException when the limit is not set
     */
    public TokenBucket(RateLimit limit, Instant now) {
        if (!limit.isSet()) {
            throw new IllegalArgumentException("nothing to keep to");
        }
        this.limit = limit;
        this.tokens = limit.burst();
        this.filledAt = now;
    }

    /** Takes a token; false when there is none. */
    public boolean take(Instant now) {
        fill(now);
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /** When so many tokens will have come, if none is taken meanwhile; now, or later. */
    public Instant when(int count, Instant now) {
        fill(now);
        double missing = count - tokens;
        return missing <= 0
                ? now
                : now.plusNanos((long) Math.ceil(missing / limit.perSecond() * 1e9));
    }

    /** True when a whole burst is there: the bucket need not be kept. */
    public boolean isFull(Instant now) {
        fill(now);
        return tokens >= limit.burst();
    }

    private void fill(Instant now) {
        double seconds = Duration.between(filledAt, now).toNanos() / 1e9;
        if (seconds > 0) {
            tokens = Math.min(limit.burst(), tokens + seconds * limit.perSecond());
            filledAt = now;
        }
    }
}
