package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Lease of a tenure, renewed by each commit that the group accepts. After the group's session
 * timeout without one another gateway may own the partition, and this one must publish nothing more
 * of it. A lease that has run out stays so: what was kept back meanwhile is lost, and the owner
 * begins anew. Times are in nanoseconds of one monotonic clock. Thread-safe.
 */
public final class TenureLease {
    private final long timeoutNanos;
    private final LongSupplier clock;
    private long renewedAt;
    private long heardAt;
    private boolean heard;
    private boolean over;

    /**
     * @param timeout after which the group gives the partition to others
     * @param clock in nanoseconds, which never goes back
     */
    public TenureLease(Duration timeout, LongSupplier clock) {
        this.timeoutNanos = timeout.toNanos();
        this.clock = clock;
    }

    /** The time now, by the clock of this lease. */
    public long now() {
        return clock.getAsLong();
    }

    /**
     * The group confirmed the tenure.
     *
     * @param askedAt when it was asked, since nobody knows when between that and its answer it had
     *     a look
     */
    public synchronized void heard(long askedAt) {
        if (!heard || askedAt - renewedAt > 0) {
            renewedAt = askedAt;
        }
        note(askedAt);
    }

    /**
     * The group took a claim. It gave the partition to nobody else until then, but a claim does not
     * begin the group's session timeout anew, as the join before the first claim did.
     */
    public synchronized void claimed(long askedAt) {
        if (!heard) {
            renewedAt = askedAt;
        }
        note(askedAt);
    }

    private void note(long askedAt) {
        if (!heard || askedAt - heardAt > 0) {
            heard = true;
            heardAt = askedAt;
        }
    }

    /** When the group was last asked and confirmed it; empty before the first time. */
    public synchronized OptionalLong heardAt() {
        return heard ? OptionalLong.of(heardAt) : OptionalLong.empty();
    }

    /**
     * Whether the owner may still publish. Before the group's first answer it publishes nothing: a
     * claim comes first.
     */
    public synchronized boolean isHeld() {
        if (!over && heard && now() - renewedAt >= timeoutNanos) {
            over = true;
        }
        return !over;
    }

    /** The tenure is over. */
    synchronized void end() {
        over = true;
    }
}
