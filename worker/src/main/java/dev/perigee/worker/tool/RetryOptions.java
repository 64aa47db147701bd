package dev.perigee.worker.tool;

import java.time.Duration;
import java.util.List;

/**
 * Options of retries; {@link RetrySettings} has the keys and explains each.
 *
 * @param delays before the second, third and further attempts; the last one goes for all that
 *     follow
 */
public record RetryOptions(int maxAttempts, List<Duration> delays, boolean trustHints) {
    public RetryOptions {
        delays = List.copyOf(delays);
    }

    /** The pause after so many attempts. */
    Duration delayAfter(int attempts) {
        return delays.isEmpty() ? Duration.ZERO : delays.get(Math.min(attempts, delays.size()) - 1);
    }
}
