package dev.perigee.gateway.outbound;

import dev.perigee.protocol.topic.NumberMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of one topic, those that the producer has and those that wait for it, in their order.
 * What is under way is bounded, so that a topic that takes nothing leaves room in the producer for
 * others. Decides what goes next and does no I/O. For one thread at a time.
 */
final class TopicLane {
    /** What the producer may have of a topic that others can go without. */
    static final long MOST_UNDER_WAY = 2 << 20;

    private final UnwritablePolicy policy;
    private final NumberMap<Pending> underWay = new NumberMap<>();
    private final KeptRecords<Pending> waiting = new KeptRecords<>();
    private long underWayBytes;
    private long numbers;
    private boolean blocked;
    private boolean pausing;
    private boolean handing;

    TopicLane(UnwritablePolicy policy) {
        this.policy = policy;
    }

    /** A record until its end. */
    static final class Pending {
        private final long number;
        private final ProducerRecord<byte[], byte[]> record;
        private final Delivery delivery;
        private boolean settled;

        private Pending(long number, ProducerRecord<byte[], byte[]> record, Delivery delivery) {
            this.number = number;
            this.record = record;
            this.delivery = delivery;
        }

        ProducerRecord<byte[], byte[]> record() {
            return record;
        }

        Delivery delivery() {
            return delivery;
        }

        /** False when its callback was called before. */
        boolean settle() {
            boolean first = !settled;
            settled = true;
            return first;
        }
    }

    /** Side effects: the records that were dropped, and those that are kept. */
    record Change(List<Pending> dropped, List<Pending> kept) {
        static final Change NONE = new Change(List.of(), List.of());
    }

    Change add(ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        var pending = new Pending(numbers++, record, delivery);
        if (blocked && policy == UnwritablePolicy.COUNTED) {
            pending.settle();
            return new Change(List.of(pending), List.of());
        }
        waiting.put(pending.number, record, pending);
        return blocked && policy == UnwritablePolicy.KEPT
                ? new Change(surplus(), List.of(pending))
                : Change.NONE;
    }

    /** The next for the producer, until {@link #handed}; null when none may go now. */
    @Nullable Pending next() {
        if (handing
                || blocked
                || pausing
                || (policy != UnwritablePolicy.NONE && underWayBytes >= MOST_UNDER_WAY)) {
            return null;
        }
        var pending = waiting.takeFirst();
        if (pending != null) {
            underWay.put(pending.number, pending);
            underWayBytes += KeptRecords.size(pending.record);
            handing = true;
        }
        return pending;
    }

    /** The producer has it, or would not take it. */
    void handed() {
        handing = false;
    }

    /** The producer no longer holds it. */
    void ended(Pending pending) {
        if (underWay.remove(pending.number) != null) {
            underWayBytes -= KeptRecords.size(pending.record);
        }
    }

    /** The producer does not take it now: it waits in its place. */
    Change again(Pending pending) {
        ended(pending);
        if (pending.settled) {
            return Change.NONE;
        }
        if (blocked && policy == UnwritablePolicy.COUNTED) {
            pending.settle();
            return new Change(List.of(pending), List.of());
        }
        waiting.put(pending.number, pending.record, pending);
        return blocked && policy == UnwritablePolicy.KEPT
                ? new Change(surplus(), List.of())
                : Change.NONE;
    }

    /** True for the one who has to end the pause. */
    boolean pause() {
        boolean first = !pausing;
        pausing = true;
        return first;
    }

    void paused() {
        pausing = false;
    }

    /** Others go on without the topic, or need not any more. */
    Change block(boolean now) {
        boolean begins = now && !blocked;
        blocked = now;
        if (!begins || policy == UnwritablePolicy.NONE) {
            return Change.NONE;
        }
        var all = new ArrayList<>(unsettled(underWay.values()));
        if (policy == UnwritablePolicy.COUNTED) {
            for (var next = waiting.takeFirst(); next != null; next = waiting.takeFirst()) {
                all.add(next);
            }
            all.forEach(Pending::settle);
            return new Change(all, List.of());
        }
        all.addAll(waiting.all());
        return new Change(surplus(), all);
    }

    private List<Pending> surplus() {
        var dropped = new ArrayList<Pending>();
        for (var next = waiting.takeSurplus(); next != null; next = waiting.takeSurplus()) {
            next.settle();
            dropped.add(next);
        }
        return dropped;
    }

    private static List<Pending> unsettled(Collection<Pending> all) {
        return all.stream().filter(pending -> !pending.settled).toList();
    }
}
