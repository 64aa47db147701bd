package dev.perigee.worker.instance;

/**
 * Bytes that changes of an instance's subscriptions may write to its durable state: {@link
 * #BURST_BYTES} at once and {@link #BYTES_PER_SECOND} on average. Each change writes all of them
 * again, so a user who subscribes and unsubscribes without end would fill the state topic by small
 * requests. Enough at once to fill an empty set to its bounds, one by one, twice. Takes the time
 * from its caller, in nanoseconds; not thread-safe.
 */
final class ChangeCredit {
    static final int BURST_BYTES = 4 << 20;
    static final int BYTES_PER_SECOND = 16 << 10;

    private static final double NANOS = 1e9;

    private double left = BURST_BYTES;
    private long filledNanos;

    /** A full one. */
    ChangeCredit(long nowNanos) {
        filledNanos = nowNanos;
    }

    /** Whether a change may be begun. */
    boolean isLeft(long nowNanos) {
        double seconds = Math.max(0, nowNanos - filledNanos) / NANOS;
        left = Math.min(BURST_BYTES, left + seconds * BYTES_PER_SECOND);
        filledNanos = nowNanos;
        return left > 0;
    }

    /** A change was made that writes so many bytes; also one that is always allowed. */
    void charge(int bytes) {
        left -= bytes;
    }
}
