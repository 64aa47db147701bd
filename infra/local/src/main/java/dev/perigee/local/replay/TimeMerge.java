package dev.perigee.local.replay;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Brings the records of many partitions into the order of their times, as far as each partition's
 * own order allows: a record that is older than one before it goes right behind that one. A record
 * comes out only when every partition that has more has shown its next. For one thread.
 */
final class TimeMerge {
    private final Map<TopicPartition, Queue> open = new LinkedHashMap<>();

    private static final class Queue {
        private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
        private long newest = Long.MIN_VALUE;

        long next() {
            return Math.max(newest, waiting.getFirst().timestamp());
        }
    }

    TimeMerge(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> open.put(partition, new Queue()));
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
        var queue = open.get(new TopicPartition(record.topic(), record.partition()));
        if (queue != null) {
            queue.waiting.add(record);
        }
    }

    /** The partitions whose next record is not known yet. */
    Set<TopicPartition> starving() {
        return open.entrySet().stream()
                .filter(entry -> entry.getValue().waiting.isEmpty())
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** A partition has no more than what was added. */
    void end(TopicPartition partition) {
        var queue = open.get(partition);
        if (queue != null && queue.waiting.isEmpty()) {
            open.remove(partition);
        }
    }

    boolean isAtEnd() {
        return open.isEmpty();
    }

    /** The next record, or null while a partition starves. */
    @Nullable ConsumerRecord<byte[], byte[]> next() {
        Queue first = null;
        for (var queue : open.values()) {
            if (queue.waiting.isEmpty()) {
                return null;
            }
            if (first == null || queue.next() < first.next()) {
                first = queue;
            }
        }
        if (first == null) {
            return null;
        }
        first.newest = first.next();
        return first.waiting.remove();
    }
}
