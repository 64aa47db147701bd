package dev.perigee.gateway.link;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A reading of a worker's clock. It was taken before it arrived here, so that a moment of this
 * gateway is never later by the worker's clock than this says, however long messages take: a lease
 * that is told in that clock is too short rather than too long.
 *
 * @param workerMs what the clock said
 * @param arrivedNanos when that was here, by {@link System#nanoTime}
 */
record WorkerClock(long workerMs, long arrivedNanos) {

    /** A reading that arrives now; null of a worker that knows no leases. */
    static @Nullable WorkerClock read(@Nullable Long workerMs) {
        return workerMs == null ? null : new WorkerClock(workerMs, System.nanoTime());
    }

    /**
     * When a lease ends by the worker's clock.
     *
     * @param heardAt when the last commit or claim was sent that the group accepted; without one
     *     the lease is over
     */
    long untilMs(OptionalLong heardAt, Duration lease) {
        if (heardAt.isEmpty()) {
            return workerMs - lease.toMillis();
        }
        long since = heardAt.getAsLong() - arrivedNanos;
        return workerMs + Math.floorDiv(since, TimeUnit.MILLISECONDS.toNanos(1)) + lease.toMillis();
    }
}
