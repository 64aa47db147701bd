package dev.perigee.client;

import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Consumer of topics from a chosen point on, without a group and of committed records only. For one
 * thread; a broker is waited for {@link KafkaConnection#PATIENCE} at most.
 */
public final class TopicTail implements RecordSource {
    private final KafkaConnection connection;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Long> endsAtStart;

    private TopicTail(
            KafkaConnection connection,
            KafkaConsumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> endsAtStart) {
        this.connection = connection;
        this.consumer = consumer;
        this.endsAtStart = endsAtStart;
    }

    /** Start position. */
    public sealed interface Start {
        /** With the oldest record there is. */
        record Beginning() implements Start {}

        /** With records appended from now on. */
        record End() implements Start {}

        /**
         * With records appended at this time or later.
         *
         * @param time compared with the records' timestamps
         */
        record Since(Instant time) implements Start {}

        /**
         * With these offsets; partitions that are not named are not read.
         *
         * @param offsets the first offset of each partition to read
         */
        record At(Map<TopicPartition, Long> offsets) implements Start {
            public At {
                offsets = Map.copyOf(offsets);
            }
        }
    }

    /**
     * Opens a tail; when this returns, its position is fixed.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when one of the topics is not there
     * @throws KafkaRefusedException when a broker refuses, or the properties are not Kafka's
     */
    public static TopicTail open(KafkaConnection connection, Start start, Topic... topics) {
        return ofNames(connection, start, Arrays.stream(topics).map(connection::name).toList());
    }

    /** The same, of topics by their full names. */
    static TopicTail ofNames(KafkaConnection connection, Start start, List<String> topics) {
        KafkaConsumer<byte[], byte[]> consumer = null;
        try {
            consumer = connection.consumer(Map.of()); // Passes over what retention has removed.
            var partitions = partitions(consumer, connection, topics);
            if (start instanceof Start.At(var offsets)) {
                partitions.retainAll(offsets.keySet());
            }
            consumer.assign(partitions);
            var ends = consumer.endOffsets(partitions);
            seek(consumer, start, ends);
            return new TopicTail(connection, consumer, ends);
        } catch (RuntimeException e) {
            if (consumer != null) {
                consumer.close(CloseOptions.timeout(Duration.ZERO));
            }
            throw e instanceof KafkaException ? connection.explained(e) : e;
        }
    }

    private static List<TopicPartition> partitions(
            KafkaConsumer<?, ?> consumer, KafkaConnection connection, List<String> topics) {
        var partitions = new ArrayList<TopicPartition>();
        for (var name : topics) {
            var known = consumer.partitionsFor(name);
            if (known == null || known.isEmpty()) {
                throw new MissingTopicException(connection, name);
            }
            known.forEach(info -> partitions.add(new TopicPartition(name, info.partition())));
        }
        return partitions;
    }

    private static void seek(
            KafkaConsumer<?, ?> consumer, Start start, Map<TopicPartition, Long> ends) {
        switch (start) {
            case Start.Beginning() -> consumer.seekToBeginning(ends.keySet());
            case Start.End() -> ends.forEach(consumer::seek);
            case Start.At(var offsets) -> {
                for (var partition : ends.keySet()) {
                    consumer.seek(partition, offsets.getOrDefault(partition, 0L));
                }
            }
            case Start.Since(var time) -> {
                var times = new HashMap<TopicPartition, Long>();
                ends.keySet().forEach(partition -> times.put(partition, time.toEpochMilli()));
                var found = consumer.offsetsForTimes(times);
                ends.forEach(
                        (partition, end) -> {
                            var offset = found.get(partition);
                            consumer.seek(partition, offset == null ? end : offset.offset());
                        });
            }
        }
    }

    /**
     * Returns when the broker has a topic that the caller is about to write to. A producer would
     * wait for it until its deadline, and could not distinguish it from a broker that is away.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when the topic is not there
     */
    public void require(Topic topic) {
        try {
            partitions(consumer, connection, List.of(connection.name(topic)));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /**
     * Waits at most so long for records; returns those of all topics, each partition in order. A
     * broker that is away is waited for: see {@link #check}.
     */
    @Override
    public List<ConsumerRecord<byte[], byte[]>> poll(Duration wait) {
        try {
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            consumer.poll(wait).forEach(records::add);
            return records;
        } catch (WakeupException e) {
            return List.of();
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /** Ends the wait of {@link #poll} that is under way, or else of the next. Any thread. */
    void wakeup() {
        consumer.wakeup();
    }

    /**
     * Returns when the broker answers.
     *
     * @throws BrokerUnreachableException when it does not in time
     */
    public void check() {
        try {
            consumer.endOffsets(endsAtStart.keySet());
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /** How many partitions are read. */
    public int partitions() {
        return endsAtStart.size();
    }

    /**
     * Whether everything that was there at the start has been returned.
     *
     * @throws BrokerUnreachableException when the broker is away
     */
    public boolean hasCaughtUp() {
        try {
            for (var end : endsAtStart.entrySet()) {
                if (consumer.position(end.getKey(), KafkaConnection.PATIENCE) < end.getValue()) {
                    return false;
                }
            }
            return true;
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /** Waits for nothing: a broker holds its answer to the last poll back for half a second. */
    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
}
