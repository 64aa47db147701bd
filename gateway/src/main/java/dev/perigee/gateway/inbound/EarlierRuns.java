package dev.perigee.gateway.inbound;

/**
 * Requests that earlier owners of a partition may have sent to a worker, from the metadata of the
 * group's committed offset. A request in doubt lies between the committed offset and the lower of
 * the reserved watermark and the end offset at this owner's claim, and is not marked as completed.
 * What the session at the worker knows of a request takes precedence. Pure, confined to one thread.
 */
public final class EarlierRuns {
    private final RequestProgress progress;
    private final long sentEnd;
    private boolean attached;
    private boolean sessionLost;

    /**
     * @param end nothing from this offset on can have been sent by an earlier owner
     */
    public EarlierRuns(RequestProgress progress, long end) {
        this.progress = progress;
        this.sentEnd = Math.min(progress.reserved(), end);
    }

    /** It is the first owner. */
    public static EarlierRuns none() {
        return new EarlierRuns(RequestProgress.none(0), 0);
    }

    /** The request has its answer, wherever the group's offset is. */
    public boolean isDone(long offset) {
        return progress.completed().contains(offset);
    }

    /** A worker may have the request, and there is no session that says so. */
    public boolean isInDoubt(long offset) {
        return !attached && offset < sentEnd && !isDone(offset);
    }

    /** There is a session; that epoch created it. */
    public void attached(long createdEpoch) {
        attached = true;
        sessionLost |= createdEpoch != progress.session();
    }

    /** The session is gone, for this owner at least. */
    public void detached() {
        attached = false;
    }

    /**
     * In how many sessions that are gone a request may have run, the session that is attached not
     * counted. None while none is.
     */
    public int lostRuns(long offset) {
        if (!attached || offset >= sentEnd) {
            return 0;
        }
        int runs = sessionLost ? 1 : 0;
        if (offset < progress.lostBelow()) {
            runs++;
        }
        if (offset < progress.lostTwiceBelow()) {
            runs++;
        }
        return runs;
    }
}
