package dev.perigee.worker.session;

import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.PendingOutcome;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Orders of a session by the command they came from, so that an order that is sent again joins the
 * one that is under way or is answered with the outcome it had. One command may be an order to each
 * of several instances. Remembered until the command's offset is committed. Pure; its owner holds a
 * lock.
 */
final class AcceptedOrders {
    private record Source(String topic, int partition) {}

    private record Key(String method, String processId) {}

    private final Map<Source, TreeMap<Long, Map<Key, PendingOutcome>>> orders = new HashMap<>();

    /**
     * The order of this origin, submitted now if it was not before.
     *
     * @param origin null for what is no command: always submitted
     */
    PendingOutcome submit(
            @Nullable RecordOrigin origin,
            String method,
            String processId,
            Supplier<PendingOutcome> submission) {
        if (origin == null) {
            return submission.get();
        }
        return orders.computeIfAbsent(
                        new Source(origin.topic(), origin.partition()), ignored -> new TreeMap<>())
                .computeIfAbsent(origin.offset(), ignored -> new HashMap<>(2))
                .computeIfAbsent(new Key(method, processId), ignored -> submission.get());
    }

    /** Commands of a topic below an offset will never be sent again. */
    void commit(String topic, int partition, long offset) {
        var source = new Source(topic, partition);
        var offsets = orders.get(source);
        if (offsets != null) {
            offsets.headMap(offset).clear();
            if (offsets.isEmpty()) {
                orders.remove(source);
            }
        }
    }
}
