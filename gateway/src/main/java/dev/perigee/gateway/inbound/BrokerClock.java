package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Offset between this machine's clock and the brokers', which set the timestamps that deadlines
 * count from. No correction while the offset is unknown, or small. Thread-safe.
 */
public final class BrokerClock {
    /** Smaller differences are left alone: they are what a comparison is off by. */
    static final Duration TOLERANCE = Duration.ofSeconds(1);

    /** Differences from here on are worth an operator's time. */
    static final Duration WORTH_SAYING = Duration.ofSeconds(5);

    /** A comparison that took longer says too little. */
    static final Duration LONGEST_COMPARISON = Duration.ofSeconds(2);

    private volatile @Nullable Duration ahead;
    private volatile Duration correction = Duration.ZERO;

    /**
     * Notes what a broker's clock showed.
     *
     * @param asked when it was asked, by this machine's clock
     * @param answered when its answer was here, by this machine's clock
     */
    public void compared(Instant asked, Instant told, Instant answered) {
        var took = Duration.between(asked, answered);
        if (took.isNegative() || took.compareTo(LONGEST_COMPARISON) > 0) {
            return;
        }
        var difference = Duration.between(told, asked.plus(took.dividedBy(2)));
        ahead = difference;
        if (difference.minus(correction).abs().compareTo(TOLERANCE) > 0) {
            correction = difference.abs().compareTo(TOLERANCE) > 0 ? difference : Duration.ZERO;
        }
    }

    /** A moment by the brokers' clock, as this machine's clock shows it. */
    Instant own(Instant brokers) {
        return brokers.plus(correction);
    }

    /** How far this machine's clock is ahead; negative behind; null while that is not known. */
    public @Nullable Duration ahead() {
        return ahead;
    }

    /** For an operator; null while all is well. */
    public @Nullable String problem() {
        var by = ahead;
        if (by == null || by.abs().compareTo(WORTH_SAYING) < 0) {
            return null;
        }
        return "This machine's clock is %d s %s the brokers': have it set by NTP. Deadlines of requests are corrected meanwhile, times in events are not."
                .formatted(
                        by.abs().plusMillis(500).toSeconds(),
                        by.isNegative() ? "behind" : "ahead of");
    }
}
