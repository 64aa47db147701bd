package dev.perigee.gateway.partition;

import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.json.InvalidRecordException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
 * consumer of its own that is kept for the next one for a moment: the connections of one that was
 * idle for longer may be dead unnoticed, and processes end while a claim waits for their timeouts.
 * Any thread; blocks.
 */
public final class StateReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateReader.class);
    private static final Duration POLL = Duration.ofSeconds(1);

    /** Nothing new for so long: more than a broker needs to end a gateway's transaction. */
    static final Duration STALLED = Duration.ofSeconds(30);

    /** How long a consumer is kept without work. */
    static final Duration KEPT = Duration.ofSeconds(2);

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final String topic;
    private final StateSeal seal;
    private final Semaphore permits;
    private final InstantSource clock;
    private final ConcurrentLinkedQueue<Idle> idle = new ConcurrentLinkedQueue<>();

    private record Idle(Consumer<byte[], byte[]> consumer, Instant since) {}

    /**
     * @param consumers makes consumers outside any group that read committed records only
     * @param seal opens what was encrypted
     * @param parallel how many partitions are read at a time
     */
    public StateReader(
            Supplier<Consumer<byte[], byte[]>> consumers,
            String topic,
            StateSeal seal,
            int parallel,
            InstantSource clock) {
        this.clock = clock;
        this.consumers = consumers;
        this.topic = topic;
        this.seal = seal;
        this.permits = new Semaphore(parallel);
    }

    /**
     * Everything up to and with a claim.
     *
     * @param claim offset of the claim's record
     * @throws KafkaException when the broker does not answer, or nothing more comes for {@link
     *     #STALLED}
     * @throws UnreadableStateException when something of it cannot be decrypted
     */
    PartitionState read(int partition, long claim) throws InterruptedException {
        permits.acquire();
        try {
            var consumer = consumer();
            boolean healthy = false;
            try {
                var replay = read(consumer, new TopicPartition(topic, partition), claim);
                healthy = true;
                return replay.state();
            } finally {
                if (healthy) {
                    idle.add(new Idle(consumer, clock.instant()));
                } else {
                    discard(consumer);
                }
            }
        } finally {
            permits.release();
        }
    }

    private Consumer<byte[], byte[]> consumer() {
        for (var kept = idle.poll(); kept != null; kept = idle.poll()) {
            if (kept.since().plus(KEPT).isAfter(clock.instant())) {
                return kept.consumer();
            }
            discard(kept.consumer());
        }
        return consumers.get();
    }

    /** Closes the consumers that are kept; no read may be under way. */
    @Override
    public void close() {
        for (var kept = idle.poll(); kept != null; kept = idle.poll()) {
            kept.consumer().close();
        }
    }

    /** After a failure, an interrupt or a while: closing must not wait, nor be interrupted. */
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
        long reached = -1;
        var since = clock.instant();
        for (long next = consumer.position(partition);
                next <= claim;
                next = consumer.position(partition)) {
            if (next > reached) {
                reached = next;
                since = clock.instant();
            } else if (!clock.instant().isBefore(since.plus(STALLED))) {
                throw new KafkaException(
                        ("%s is not read beyond offset %d: a transaction there does not end;"
                                        + " see PerigeePartitionsNotServed in docs/runbooks.md")
                                .formatted(partition, next));
            }
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
