package dev.perigee.gateway.inbound;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What the group is told of one partition's requests during one tenure: which are done, and which
 * may have been sent to a worker. The owner asks it before it sends; the poll loop commits it, and
 * nobody else commits offsets of requests. Thread-safe.
 */
final class RequestLedger {
    private final OffsetTracker requests;
    private final DispatchReservation reservation;
    private final OffsetSet completedBefore;
    private @Nullable Position durable;

    /** What one commit says. */
    record Position(OffsetAndMetadata offset, DispatchReservation.Mark mark) {}

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

    /** True while requests wait for a commit. */
    boolean isUrgent() {
        reservation.arrived(requests.next());
        return reservation.isShort();
    }

    /** What is to be committed; null when the group knows it already. */
    @Nullable Position toCommit(int maxBitmapBytes) {
        reservation.arrived(requests.next());
        var mark = reservation.wanted();
        var completed = requests.completed(completedBefore, ProgressCodec.WINDOW);
        var progress =
                new RequestProgress(
                        mark.reserved(),
                        mark.session(),
                        mark.lostBelow(),
                        mark.lostTwiceBelow(),
                        completed);
        var position =
                new Position(
                        new OffsetAndMetadata(
                                completed.base(), ProgressCodec.encode(progress, maxBitmapBytes)),
                        mark);
        return position.equals(durable) ? null : position;
    }

    /** The group knows it now; on the poll thread, in the order of the commits. */
    void committed(Position position) {
        durable = position;
        reservation.committed(position.mark());
    }
}
