package dev.perigee.link;

import java.time.Duration;

/**
 * Failure detector of one connection: dead after {@code deadAfter} without a sign of life. What
 * counts as one differs: a gateway takes pongs only, for a half-open connection may still deliver;
 * a worker takes any frame, and holds sessions by when answered pings were sent. Times are in
 * nanoseconds of one monotonic clock. Thread-safe.
 */
public final class Liveness {
    private final long deadAfterNanos;
    private volatile long lastHeard;

    public Liveness(Duration deadAfter, long now) {
        this.deadAfterNanos = deadAfter.toNanos();
        this.lastHeard = now;
    }

    public void heard(long now) {
        lastHeard = now;
    }

    public boolean isDead(long now) {
        return age(now) >= deadAfterNanos;
    }

    /** Time since the last sign of life. */
    public long age(long now) {
        return now - lastHeard;
    }

    /** When {@link #isDead} can become true. */
    public long nanosLeft(long now) {
        return Math.max(0, deadAfterNanos - age(now));
    }
}
