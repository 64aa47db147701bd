package dev.perigee.gateway.inbound;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Offset-commit state of one partition's requests during one tenure: which are done, and which may
 * have been sent to a worker. The owner asks it before it sends; only the poll loop commits offsets
 * of requests. Thread-safe.
 */
final class RequestLedger {
    private final OffsetTracker requests;
    private final DispatchReservation reservation;
    private final OffsetSet completedBefore;
    private @Nullable Position durable;
    private volatile long noted;
    private volatile boolean wanted;

    /**
     * Content of one offset commit.
     *
     * @param completions how many requests were completed when it was made, at least
     */
    record Position(OffsetAndMetadata offset, DispatchReservation.Mark mark, long completions) {
        boolean saysTheSame(@Nullable Position other) {
            return other != null && offset.equals(other.offset) && mark.equals(other.mark);
        }
    }

    RequestLedger(OffsetTracker requests, RequestProgress earlier, long end) {
        this.requests = requests;
        this.reservation = new DispatchReservation(earlier, end);
        this.completedBefore = earlier.completed();
    }

    boolean mayDispatch(long offset) {
        return reservation.take(offset);
    }

    void attached(long createdEpoch) {
        reservation.attached(createdEpoch);
    }

    void detached() {
        reservation.detached();
    }

    void seal() {
        reservation.seal();
    }

    /** A commit's period is over. */
    void period() {
        reservation.period();
    }

    /** Asks for a commit soon. */
    void want() {
        wanted = true;
    }

    /** Whether the group knows of the first so many completions. */
    boolean isNoted(long completions) {
        return noted >= completions;
    }

    /** True while requests, or the owner, wait for a commit. */
    boolean isUrgent() {
        reservation.arrived(requests.next());
        return wanted || reservation.isShort();
    }

    /** What is to be committed; null when the group knows it already. */
    @Nullable Position toCommit(int maxBitmapBytes) {
        var position = current(maxBitmapBytes);
        return position.saysTheSame(durable) ? null : position;
    }

    /** What a commit says now, whether or not the group knows it. */
    Position current(int maxBitmapBytes) {
        wanted = false;
        reservation.arrived(requests.next());
        var mark = reservation.wanted();
        long completions = requests.completions();
        var completed = requests.completed(completedBefore, ProgressCodec.WINDOW);
        var progress =
                new RequestProgress(
                        mark.reserved(),
                        mark.session(),
                        mark.lostBelow(),
                        mark.lostTwiceBelow(),
                        completed);
        return new Position(
                new OffsetAndMetadata(
                        completed.base(), ProgressCodec.encode(progress, maxBitmapBytes)),
                mark,
                completions);
    }

    /** The group knows it now; on the poll thread, in the order of the commits. */
    void committed(Position position) {
        durable = position;
        noted = position.completions();
        reservation.committed(position.mark());
    }
}
