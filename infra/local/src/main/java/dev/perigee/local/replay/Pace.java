package dev.perigee.local.replay;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Says when the next record is due, so that records keep their distance in time, scaled. Time
 * counts from the first record that is asked about, also after an interruption. For one thread.
 */
final class Pace {
    private final Speed speed;
    private @Nullable Instant firstRecord;
    private long firstNanos;

    Pace(Speed speed) {
        this.speed = speed;
    }

    /**
     * How long to wait before a record is sent; zero when it is due.
     *
     * @param nowNanos {@link System#nanoTime}
     */
    Duration untilDue(Instant appendedAt, long nowNanos) {
        var factor = speed.factor();
        if (factor == null) {
            return Duration.ZERO;
        }
        if (firstRecord == null) {
            firstRecord = appendedAt;
            firstNanos = nowNanos;
        }
        var sinceFirst = Duration.between(firstRecord, appendedAt).toMillis() / factor;
        long due = firstNanos + (long) (sinceFirst * 1_000_000);
        return due - nowNanos > 0 ? Duration.ofNanos(due - nowNanos) : Duration.ZERO;
    }
}
