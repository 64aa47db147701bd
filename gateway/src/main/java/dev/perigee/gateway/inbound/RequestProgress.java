package dev.perigee.gateway.inbound;

/**
 * Progress of a partition's requests, handed from one owner to the next in the metadata of the
 * committed offset, below which all have their answer. Write-ahead: it is committed before what it
 * allows is done.
 *
 * <pre>
 *   committed        lostTwiceBelow     lostBelow          reserved
 *       │ may have run in  │ may have run in  │ may have run in  │ surely did
 *       │ several sessions │ one session      │ the session      │ not run
 *       │ that are gone    │ that is gone     │ {@code session}  │
 * </pre>
 *
 * In between, those of {@code completed} have their answer.
 *
 * @param reserved no request from this offset on was sent to a worker
 * @param session the epoch that created the session to which requests from {@code lostBelow} on may
 *     have been sent; -1 for none
 * @param lostBelow requests below this offset may have been sent to a session before that one
 * @param lostTwiceBelow requests below this offset may have been sent to two sessions before
 * @param completed requests from the committed offset on that have their answer
 */
public record RequestProgress(
        long reserved, long session, long lostBelow, long lostTwiceBelow, OffsetSet completed) {
    static final long NO_SESSION = -1;

    /** Nothing was sent, and nothing answered, from here on. */
    public static RequestProgress none(long committed) {
        return new RequestProgress(
                committed, NO_SESSION, committed, committed, OffsetSet.none(committed));
    }

    /** Nothing is known: everything that was there may have been sent. */
    public static RequestProgress unknown(long committed) {
        return new RequestProgress(
                Long.MAX_VALUE, NO_SESSION, committed, committed, OffsetSet.none(committed));
    }
}
