package dev.perigee.console;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Start offsets of the console's consumer: compacted topics from the beginning, the others as far
 * back as the history reaches, but not more than some thousand records.
 *
 * @param history how far back
 */
record StartPositions(TopicNames names, Duration history) {
    /** Workers send them every 30 s, and the newest is all that counts. */
    private static final Duration HEARTBEATS = Duration.ofMinutes(2);

    private static final int MAX_BACK_OF_TOPIC = 20_000;
    private static final int MIN_BACK_OF_PARTITION = 200;

    /** The offset at which to begin, by partition. */
    Map<TopicPartition, Long> find(Consumer<byte[], byte[]> consumer, Instant now) {
        var starts = new HashMap<TopicPartition, Long>();
        for (var topic : List.of(Topic.STATE, Topic.STATUS)) {
            starts.putAll(consumer.beginningOffsets(partitions(consumer, topic)));
        }
        starts.putAll(since(consumer, Topic.HEARTBEATS, now.minus(HEARTBEATS)));
        for (var topic : List.of(Topic.LIFECYCLE, Topic.LOGS, Topic.REQUEST_LOGS)) {
            starts.putAll(since(consumer, topic, now.minus(history)));
        }
        return starts;
    }

    private List<TopicPartition> partitions(Consumer<byte[], byte[]> consumer, Topic topic) {
        var partitions = new ArrayList<TopicPartition>();
        consumer.partitionsFor(names.of(topic))
                .forEach(
                        info -> partitions.add(new TopicPartition(info.topic(), info.partition())));
        return partitions;
    }

    private Map<TopicPartition, Long> since(
            Consumer<byte[], byte[]> consumer, Topic topic, Instant time) {
        var partitions = partitions(consumer, topic);
        var times = new HashMap<TopicPartition, Long>();
        partitions.forEach(partition -> times.put(partition, time.toEpochMilli()));
        var found = consumer.offsetsForTimes(times);
        long maxBack =
                Math.max(MIN_BACK_OF_PARTITION, MAX_BACK_OF_TOPIC / Math.max(1, partitions.size()));
        var starts = new HashMap<TopicPartition, Long>();
        consumer.endOffsets(partitions)
                .forEach(
                        (partition, end) -> {
                            var first = found.get(partition);
                            starts.put(
                                    partition,
                                    first == null ? end : Math.max(first.offset(), end - maxBack));
                        });
        return starts;
    }
}
