package dev.perigee.gateway.partition;

import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.json.InvalidRecordException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the state topic has of a partition. A few partitions are read at a time, each by a
 * consumer of its own that is kept for the next. Any thread; blocks.
 */
public final class StateReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateReader.class);
    private static final Duration POLL = Duration.ofSeconds(1);

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final String topic;
    private final StateSeal seal;
    private final Semaphore permits;
    private final ConcurrentLinkedQueue<Consumer<byte[], byte[]>> idle =
            new ConcurrentLinkedQueue<>();

    /**
     * @param consumers makes consumers outside any group that read committed records only
     * @param seal opens what was encrypted
     * @param parallel how many partitions are read at a time
     */
    public StateReader(
            Supplier<Consumer<byte[], byte[]>> consumers,
            String topic,
            StateSeal seal,
            int parallel) {
        this.consumers = consumers;
        this.topic = topic;
        this.seal = seal;
        this.permits = new Semaphore(parallel);
    }

    /**
     * Everything up to and with a claim.
     *
     * @param claim offset of the claim's record
     * @throws KafkaException when the broker does not answer
     * @throws UnreadableStateException when something of it cannot be decrypted
     */
    PartitionState read(int partition, long claim) throws InterruptedException {
        permits.acquire();
        try {
            var pooled = idle.poll();
            var consumer = pooled == null ? consumers.get() : pooled;
            boolean healthy = false;
            try {
                var replay = read(consumer, new TopicPartition(topic, partition), claim);
                healthy = true;
                return replay.state();
            } finally {
                if (healthy) {
                    idle.add(consumer);
                } else {
                    discard(consumer);
                }
            }
        } finally {
            permits.release();
        }
    }

    /** Closes the consumers that are kept; no read may be under way. */
    @Override
    public void close() {
        for (var consumer = idle.poll(); consumer != null; consumer = idle.poll()) {
            consumer.close();
        }
    }

    /** After a failure or an interrupt: closing must not wait, and not be interrupted. */
    private static void discard(Consumer<byte[], byte[]> consumer) {
        boolean interrupted = Thread.interrupted();
        try {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private StateReplay read(
            Consumer<byte[], byte[]> consumer, TopicPartition partition, long claim) {
        var replay = new StateReplay(seal);
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        while (consumer.position(partition) <= claim) {
            for (var record : consumer.poll(POLL).records(partition)) {
                if (record.offset() <= claim) {
                    add(replay, record);
                }
            }
        }
        consumer.unsubscribe();
        return replay;
    }

    /** A record that cannot be read costs what it says, not the partition. */
    private static void add(StateReplay replay, ConsumerRecord<byte[], byte[]> record) {
        try {
            replay.add(record.key(), record.value(), record.offset());
        } catch (InvalidRecordException e) {
            LOG.atError()
                    .addKeyValue("partition", record.partition())
                    .addKeyValue("offset", record.offset())
                    .setCause(e)
                    .log("A record of the state topic cannot be read and is skipped");
        }
    }
}
