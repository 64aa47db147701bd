package dev.perigee.local.replay;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a run.
 *
 * @param looked how many offsets this process has looked at
 * @param left how many are still to be looked at
 * @param sent how many records this process has sent
 * @param elapsed since this process began to read
 * @param at when the latest record was appended in the source
 * @param lastAt when the last one was
 */
public record ReplayProgress(
        long looked,
        long left,
        long sent,
        Duration elapsed,
        @Nullable Instant at,
        @Nullable Instant lastAt,
        Speed speed) {
    /** Records sent a second. */
    public double rate() {
        return elapsed.isZero() ? 0 : sent / (elapsed.toMillis() / 1000.0);
    }

    /** The part that has been looked at, 0 to 1. */
    public double part() {
        return looked + left == 0 ? 1 : (double) looked / (looked + left);
    }

    /** How long it will take, null while nobody can tell. */
    public @Nullable Duration timeLeft() {
        if (left == 0) {
            return Duration.ZERO;
        }
        if (speed.factor() != null) {
            return at == null || lastAt == null
                    ? null
                    : Duration.ofMillis(
                            (long)
                                    (Math.max(0, Duration.between(at, lastAt).toMillis())
                                            / speed.factor()));
        }
        return looked == 0
                ? null
                : Duration.ofMillis((long) ((double) elapsed.toMillis() * left / looked));
    }
}
