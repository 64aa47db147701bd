package dev.perigee.worker.process.network;

/**
 * Rate limiter of a fixed number a second, and as many again at once after a pause of a second.
 * Used by one thread.
 */
final class RateLimiter {
    private static final long SECOND = 1_000_000_000;

    private final long gapNanos;
    private long nextNanos;

    RateLimiter(int perSecond, long nowNanos) {
        this.gapNanos = SECOND / perSecond;
        this.nextNanos = nowNanos - SECOND;
    }

    /** When it may happen: at or before now if it may now. */
    long due() {
        return nextNanos;
    }

    /** It happens. */
    void take(long nowNanos) {
        nextNanos = Math.max(nextNanos, nowNanos - SECOND) + gapNanos;
    }
}
