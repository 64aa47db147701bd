package dev.perigee.gateway.link;

import java.time.Duration;

/**
 * Failure detector of one connection: it is dead when no pong came for {@code deadAfter}, whatever
 * else arrives, for a half-open one may still deliver. Times are in nanoseconds of one monotonic
 * clock. Thread-safe.
 */
final class Liveness {
    private final long deadAfterNanos;
    private volatile long lastPong;

    Liveness(Duration deadAfter, long now) {
        this.deadAfterNanos = deadAfter.toNanos();
        this.lastPong = now;
    }

    void pong(long now) {
        lastPong = now;
    }

    boolean isDead(long now) {
        return age(now) >= deadAfterNanos;
    }

    /** Time since the last pong. */
    long age(long now) {
        return now - lastPong;
    }

    /** When {@link #isDead} can become true. */
    long nanosLeft(long now) {
        return Math.max(0, deadAfterNanos - (now - lastPong));
    }
}
