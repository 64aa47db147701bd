package dev.perigee.worker.instance;

import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Deadline of a call: that of its request, or its server's own limit from the call's start where
 * that is sooner. Where the request says so, each progress extends it, up to a last moment. It
 * stands still while it is stopped. Safe for use by any thread; moments are {@link
 * System#nanoTime}.
 */
final class CallDeadline {
    private final long startNanos;
    private final long deadlineNanos;
    private final long eachNanos;
    private final long lastNanos;
    private long movedNanos;
    private boolean moved;
    private long stoppedNanos;
    private @Nullable Long stoppedAt;

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

    /**
     * The deadline of a request.
     *
     * @param left from the start to the order's deadline
     * @param resumed the question that the call goes on from, null for one that begins
     */
    static CallDeadline of(
            ToolOrder.Execute order,
            long startNanos,
            Duration left,
            @Nullable HeldQuestion resumed) {
        var each = order.request().extendOnProgressMs();
        if (resumed != null) {
            return new CallDeadline(
                    startNanos,
                    Duration.ofMillis(resumed.leftMs()),
                    each == null ? null : Duration.ofMillis(each),
                    Duration.ofMillis(resumed.mostLeftMs()));
        }
        var last = order.lastDeadline();
        return each == null || last == null
                ? new CallDeadline(startNanos, left, null, left)
                : new CallDeadline(
                        startNanos,
                        left,
                        Duration.ofMillis(each),
                        left.plus(Duration.between(order.deadline(), last)));
    }

    /** There was progress. */
    synchronized void progressed(long nowNanos) {
        if (eachNanos > 0) {
            long passed = nowNanos - stopped(nowNanos);
            long next = passed + Math.min(eachNanos, lastNanos - passed);
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
        long passed = nowNanos - stopped(nowNanos);
        long left = deadlineNanos - passed;
        if (ownLimit != null) {
            left = Math.min(left, ownLimit.toNanos() - (passed - startNanos));
        }
        return Duration.ofNanos(moved ? Math.max(left, movedNanos - passed) : left);
    }

    /** Time that is left, if progress extends it as far as it may. */
    synchronized Duration mostLeft(long nowNanos) {
        return Duration.ofNanos(lastNanos - (nowNanos - stopped(nowNanos)));
    }

    /** No time passes until it goes on. */
    synchronized void stop(long nowNanos) {
        if (stoppedAt == null) {
            stoppedAt = nowNanos;
        }
    }

    /** Time passes again. */
    synchronized void goOn(long nowNanos) {
        stoppedNanos = stopped(nowNanos);
        stoppedAt = null;
    }

    /** How long no time passed, until now. */
    synchronized long stopped(long nowNanos) {
        return stoppedNanos + (stoppedAt == null ? 0 : nowNanos - stoppedAt);
    }
}
