package dev.perigee.gateway.inbound;

/**
 * Up to which offset requests may be sent: only below what the group durably knows as reserved, for
 * the session that the group durably knows. It is reserved ahead of what arrives, the further the
 * more arrives, and renewed when half of it is used, so that calls wait for a commit only at the
 * beginning of a session and in a sudden burst. While there is no session nothing more is reserved:
 * what waits for a worker surely did not run.
 *
 * <p>Pure. Each operation is atomic: the owner takes, the poll loop renews.
 */
final class DispatchReservation {
    /** Offsets ahead of the last that arrived, at least. */
    static final int LEAST_AHEAD = 64;

    /** The same, at most. */
    static final int MOST_AHEAD = 8_192;

    /** How many renewal periods' worth of arrivals are reserved. */
    private static final int PERIODS = 16;

    /** Reserved watermark and its metadata, to be committed or committed. */
    record Mark(long reserved, long session, long lostBelow, long lostTwiceBelow) {}

    private Mark durable;
    private long session;
    private long lostBelow;
    private long lostTwiceBelow;
    private long asked;
    private long sentEnd;
    private long arrived;
    private long arrivedBefore;
    private int ahead = LEAST_AHEAD;
    private boolean attached;
    private boolean sealed;

    /**
     * Continues from an earlier owner's progress.
     *
     * @param end nothing from this offset on can have been sent by an earlier owner
     */
    DispatchReservation(RequestProgress earlier, long end) {
        this.durable =
                new Mark(
                        earlier.reserved(),
                        earlier.session(),
                        earlier.lostBelow(),
                        earlier.lostTwiceBelow());
        this.session = earlier.session();
        this.lostBelow = earlier.lostBelow();
        this.lostTwiceBelow = earlier.lostTwiceBelow();
        this.sentEnd = Math.min(earlier.reserved(), end);
        this.asked = session == RequestProgress.NO_SESSION ? sentEnd : earlier.reserved();
        this.arrived = end;
        this.arrivedBefore = end;
    }

    /** Whether the request may be sent now. It counts as sent then. */
    synchronized boolean take(long offset) {
        if (sealed || !attached || durable.session != session || offset >= durable.reserved) {
            return false;
        }
        sentEnd = Math.max(sentEnd, offset + 1);
        return true;
    }

    /**
     * There is a session. If it is another than the one before, all that was sent may be lost.
     *
     * @param createdEpoch the epoch that created it
     */
    synchronized void attached(long createdEpoch) {
        attached = true;
        if (createdEpoch != session) {
            session = createdEpoch;
            lostTwiceBelow = lostBelow;
            lostBelow = Math.max(lostBelow, sentEnd);
        }
    }

    /** There is no session. */
    synchronized void detached() {
        attached = false;
    }

    /** Requests below this offset have arrived. */
    synchronized void arrived(long offset) {
        arrived = Math.max(arrived, offset);
    }

    /** A renewal period is over. */
    synchronized void period() {
        long wished = Math.max(ahead / 2, (arrived - arrivedBefore) * PERIODS);
        ahead = Math.clamp(wished, LEAST_AHEAD, MOST_AHEAD);
        arrivedBefore = arrived;
    }

    /** True while requests that are here may have to wait for a commit. */
    synchronized boolean isShort() {
        return attached && !sealed && (durable.session != session || durable.reserved < arrived);
    }

    /** What is to be committed now. */
    synchronized Mark wanted() {
        if (!sealed && attached && asked - arrived < ahead / 2) {
            asked = arrived + ahead;
        }
        return new Mark(sealed ? sentEnd : asked, session, lostBelow, lostTwiceBelow);
    }

    /** What was wanted is committed. */
    synchronized void committed(Mark mark) {
        durable = mark;
    }

    /** Nothing is sent any more, so what was sent is known exactly. */
    synchronized void seal() {
        sealed = true;
    }
}
