package dev.perigee.gateway.link;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Full-jitter exponential backoff: each delay is drawn evenly between nothing and a ceiling that
 * doubles from {@code min} to {@code max}, so that many gateways do not return in step. One thread
 * at a time.
 */
final class FullJitterBackoff {
    private final long minNanos;
    private final long maxNanos;
    private final RandomGenerator random;
    private long ceiling;

    FullJitterBackoff(Duration min, Duration max, RandomGenerator random) {
        this.minNanos = Math.max(1, min.toNanos());
        this.maxNanos = Math.max(minNanos, max.toNanos());
        this.random = random;
        this.ceiling = minNanos;
    }

    /** The delay before the next attempt. */
    Duration next() {
        var delay = random.nextLong(ceiling + 1);
        ceiling = ceiling > maxNanos / 2 ? maxNanos : ceiling * 2;
        return Duration.ofNanos(delay);
    }

    /** An attempt succeeded: the next delay is short again. */
    void reset() {
        ceiling = minNanos;
    }
}
