package dev.perigee.local.backup;

import dev.perigee.client.KafkaConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of whole partitions, one after the other, committed records only. Belongs to no group. For
 * one thread; waits a minute at most for a record that is there.
 */
final class PartitionReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);

    /** Longest time without progress. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    /** Longest time for what is written while a partition is read. */
    private static final Duration CATCH_UP = Duration.ofSeconds(10);

    /** Options of the reader itself, whatever the user's client properties say. */
    private static final Set<String> OWN =
            Set.of(
                    "group.id",
                    "group.instance.id",
                    "group.protocol",
                    "isolation.level",
                    "enable.auto.commit",
                    "auto.offset.reset",
                    "allow.auto.create.topics",
                    "transactional.id",
                    "transaction.timeout.ms",
                    "enable.idempotence",
                    "acks",
                    "key.serializer",
                    "value.serializer",
                    "key.deserializer",
                    "value.deserializer");

    private final KafkaConnection connection;
    private final KafkaConsumer<byte[], byte[]> consumer;

    /**
     * Makes a reader; connects to nothing yet.
     *
     * @throws dev.perigee.client.KafkaRefusedException when the client properties are wrong
     */
    PartitionReader(KafkaConnection connection) {
        this.connection = connection;
        try {
            consumer =
                    connection.consumer(
                            Map.of("fetch.max.wait.ms", KafkaConnection.SHORT_FETCH_MS));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /** A connection without what would replace the reader's own options. */
    static KafkaConnection own(KafkaConnection given) {
        var properties = new HashMap<>(given.properties());
        properties.keySet().removeAll(OWN);
        return new KafkaConnection(given.bootstrap(), given.names(), properties);
    }

    /** How many partitions a topic has; 0 where it is not there. */
    int partitions(String topic) {
        try {
            var found = consumer.partitionsFor(topic, KafkaConnection.PATIENCE);
            return found == null ? 0 : found.size();
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /**
     * Reads a partition from its beginning until nothing is there that was not read.
     *
     * @param take called with each record; false ends the reading
     * @return the end at that moment. No later record had replaced any before it, so that the last
     *     record of each key was read, whatever compaction removed meanwhile. Where it is written
     *     to without a pause, the end after ten seconds of that
     */
    long read(String topic, int number, Predicate<ConsumerRecord<byte[], byte[]>> take) {
        var partition = new TopicPartition(topic, number);
        try {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            return read(partition, take);
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    private long read(TopicPartition partition, Predicate<ConsumerRecord<byte[], byte[]>> take) {
        long end = end(partition);
        long reachedFirst = 0;
        while (true) {
            if (!readTo(end, partition, take)) {
                return end;
            }
            long now = end(partition);
            if (position(partition) >= now) {
                return now;
            }
            if (reachedFirst == 0) {
                reachedFirst = System.nanoTime();
            } else if (System.nanoTime() - reachedFirst > CATCH_UP.toNanos()) {
                return end;
            }
            end = now;
        }
    }

    /** False where the taker has enough. */
    private boolean readTo(
            long end, TopicPartition partition, Predicate<ConsumerRecord<byte[], byte[]>> take) {
        long position = position(partition);
        long moved = System.nanoTime();
        while (position < end) {
            for (var record : consumer.poll(POLL).records(partition)) {
                if (record.offset() >= end) {
                    break;
                }
                if (!take.test(record)) {
                    return false;
                }
            }
            long now = position(partition);
            if (now > position) {
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > SILENCE.toNanos()) {
                throw BackupException.unavailable(
                        "No record of %s came for %d s: not all of it was read"
                                .formatted(partition, SILENCE.toSeconds()));
            }
            position = now;
        }
        consumer.seek(partition, end); // What came beyond is not taken yet.
        return true;
    }

    /** Records between the beginning and the end of all partitions of a topic, about. */
    long size(String topic) {
        try {
            var partitions =
                    consumer.partitionsFor(topic, KafkaConnection.PATIENCE).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            var begins = consumer.beginningOffsets(partitions, KafkaConnection.PATIENCE);
            var ends = consumer.endOffsets(partitions, KafkaConnection.PATIENCE);
            return partitions.stream()
                    .mapToLong(each -> ends.getOrDefault(each, 0L) - begins.getOrDefault(each, 0L))
                    .sum();
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    private long end(TopicPartition partition) {
        return consumer.endOffsets(List.of(partition), KafkaConnection.PATIENCE)
                .getOrDefault(partition, 0L);
    }

    private long position(TopicPartition partition) {
        return consumer.position(partition, KafkaConnection.PATIENCE);
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
}
