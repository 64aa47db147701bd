package dev.perigee.worker.instance;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Policy by which an idle process is ended until it is needed again. Only requests and their
 * responses are activity; a server's notifications are not. Pure.
 *
 * @param timeout without requests; zero switches it off
 * @param checkInterval between two looks at all instances
 * @param grace from the spawn, before which a process is not ended
 */
public record IdlePolicy(Duration timeout, Duration checkInterval, Duration grace) {

    /** Three minutes, looked at every 30 seconds, not in the first minute. */
    public static IdlePolicy defaults() {
        return new IdlePolicy(Duration.ofMinutes(3), Duration.ofSeconds(30), Duration.ofMinutes(1));
    }

    public IdlePolicy {
        if (timeout.isNegative() || grace.isNegative() || !checkInterval.isPositive()) {
            throw new IllegalArgumentException(
                    "idle.timeout and idle.grace must not be negative, and idle.check-interval"
                            + " positive");
        }
    }

    /**
     * Use of a process that could be ended.
     *
     * @param lastActivityAt the last request or response, also of an earlier process; null when
     *     there was none
     * @param callsUnderWay accepted and not answered, sent or not
     */
    record Usage(Instant spawnedAt, @Nullable Instant lastActivityAt, int callsUnderWay) {

        /** Since when it is idle. */
        Instant idleSince() {
            return lastActivityAt == null || lastActivityAt.isBefore(spawnedAt)
                    ? spawnedAt
                    : lastActivityAt;
        }

        Duration idleFor(Instant now) {
            return Duration.between(idleSince(), now);
        }
    }

    boolean isEnabled() {
        return !timeout.isZero();
    }

    /** Whether a process may be ended now. */
    boolean isOver(Usage usage, Instant now) {
        return isEnabled()
                && usage.callsUnderWay() == 0
                && Duration.between(usage.spawnedAt(), now).compareTo(grace) >= 0
                && usage.idleFor(now).compareTo(timeout) >= 0;
    }
}
