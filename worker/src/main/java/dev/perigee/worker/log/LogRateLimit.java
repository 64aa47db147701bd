package dev.perigee.worker.log;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Admits so many lines a second on average, and in a burst what that average gives over one batch
 * interval, so that a server may say much at once but not for long. Counts what it refuses. Takes
 * the time from its caller; not thread-safe.
 */
public final class LogRateLimit {
    private final int linesPerSecond;
    private final double burst;
    private double tokens;
    private long lastNanos;
    private boolean started;
    private long dropped;

    /** At most this many lines a second over the interval. */
    public LogRateLimit(int linesPerSecond, Duration interval) {
        this.linesPerSecond = linesPerSecond;
        this.burst = Math.max(1, linesPerSecond * (interval.toMillis() / 1000.0));
        this.tokens = burst;
    }

    /** Whether a line that comes now may pass. */
    public boolean admit(long nowNanos) {
        if (started) {
            double seconds = (nowNanos - lastNanos) / (double) TimeUnit.SECONDS.toNanos(1);
            tokens = Math.min(burst, tokens + seconds * linesPerSecond);
        }
        started = true;
        lastNanos = nowNanos;
        if (tokens >= 1) {
            tokens--;
            return true;
        }
        dropped++;
        return false;
    }

    /** How many lines were refused since this was asked last. */
    public long takeDropped() {
        long count = dropped;
        dropped = 0;
        return count;
    }

    /** The average it admits. */
    public int linesPerSecond() {
        return linesPerSecond;
    }
}
