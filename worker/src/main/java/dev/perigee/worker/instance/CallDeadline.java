package dev.perigee.worker.instance;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a call is over: its deadline, or its server's own limit from the call's start where that is
 * sooner; where the request says so, each progress moves it to a time from then, up to a last one.
 * Safe for use by any thread.
 */
final class CallDeadline {
    private final long startNanos;
    private final long deadlineNanos;
    private final long eachNanos;
    private final long lastNanos;
    private long movedNanos;
    private boolean moved;

    /**
     * A deadline; moments are {@link System#nanoTime()}.
     *
     * @param left from the start to the deadline
     * @param each from a progress to the deadline that it makes, null when it makes none
     * @param last from the start to the last of them
     */
    CallDeadline(long startNanos, Duration left, @Nullable Duration each, Duration last) {
        this.startNanos = startNanos;
        this.deadlineNanos = startNanos + left.toNanos();
        this.eachNanos = each == null ? 0 : each.toNanos();
        this.lastNanos = startNanos + last.toNanos();
    }

    /** The deadline of a call that was not sent: it does not move. */
    long nanos() {
        return deadlineNanos;
    }

    /** There was progress. */
    synchronized void progressed(long nowNanos) {
        if (eachNanos > 0) {
            long next = nowNanos + Math.min(eachNanos, lastNanos - nowNanos);
            if (!moved || next - movedNanos > 0) {
                movedNanos = next;
                moved = true;
            }
        }
    }

    /**
     * Time that is left to a request that was sent.
     *
     * @param ownLimit of the server, from the call's start; null for none
     */
    synchronized Duration left(long nowNanos, @Nullable Duration ownLimit) {
        long left = deadlineNanos - nowNanos;
        if (ownLimit != null) {
            left = Math.min(left, ownLimit.toNanos() - (nowNanos - startNanos));
        }
        return Duration.ofNanos(moved ? Math.max(left, movedNanos - nowNanos) : left);
    }
}
