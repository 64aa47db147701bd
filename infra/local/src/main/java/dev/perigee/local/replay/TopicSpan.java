package dev.perigee.local.replay;

import dev.perigee.protocol.topic.Topic;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * All that some topics have from their begin to a time. Begins stay what they were: both passes
 * read the same.
 */
record TopicSpan(Map<TopicPartition, Long> from, Map<TopicPartition, Long> to) {
    TopicSpan {
        from = Map.copyOf(from);
        to = Map.copyOf(to);
    }

    /**
     * Finds it.
     *
     * @throws ReplayException when the cluster does not answer
     */
    static TopicSpan find(Cluster source, List<Topic> topics, Instant until) {
        try (var consumer = source.consumer(Map.of())) {
            var times = new HashMap<TopicPartition, Long>();
            for (var topic : topics) {
                for (var partition : consumer.partitionsFor(source.topic(topic))) {
                    times.put(
                            new TopicPartition(partition.topic(), partition.partition()),
                            until.toEpochMilli());
                }
            }
            var to = new HashMap<>(consumer.endOffsets(times.keySet()));
            consumer.offsetsForTimes(times)
                    .forEach(
                            (partition, found) -> {
                                if (found != null) {
                                    to.merge(partition, found.offset(), Math::min);
                                }
                            });
            return new TopicSpan(consumer.beginningOffsets(times.keySet()), to);
        } catch (KafkaException e) {
            throw source.explained(e);
        }
    }
}
