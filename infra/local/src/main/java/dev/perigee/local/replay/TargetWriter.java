package dev.perigee.local.replay;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Utils;

/**
 * Writes copies and checkpoints, some together in one transaction: after a kill the target has both
 * or neither. The transactional id is the run's, so that of two processes of one run the older
 * cannot write any more, and what it had begun is undone. For one thread.
 */
final class TargetWriter implements AutoCloseable {
    private static final int LARGEST_BYTES = 20 << 20;
    private static final int MOST_RECORDS = 500;
    private static final long MOST_BYTES = 4L << 20;
    private static final Duration LONGEST = Duration.ofMillis(100);
    private static final Duration CLOSE = Duration.ofSeconds(5);
    private static final int COMMIT_ATTEMPTS = 3;

    private final Cluster target;
    private final CheckpointTopic checkpoints;
    private final String run;
    private final KafkaProducer<byte[], byte[]> producer;
    private boolean open;
    private int records;
    private long bytes;
    private long openedNanos;

    TargetWriter(Cluster target, CheckpointTopic checkpoints, String run) {
        this.target = target;
        this.checkpoints = checkpoints;
        this.run = run;
        try {
            producer =
                    target.connection()
                            .producer(
                                    Map.of(
                                            "transactional.id", "perigee-replay-" + run,
                                            "transaction.timeout.ms", 30_000,
                                            "max.block.ms", 30_000,
                                            // Transactions come one after the other.
                                            "retry.backoff.ms", 5,
                                            "max.request.size", LARGEST_BYTES));
        } catch (KafkaException e) {
            throw target.explained(e);
        }
        try {
            producer.initTransactions();
        } catch (KafkaException e) {
            producer.close(Duration.ZERO);
            throw target.explained(e);
        }
    }

    /** The partition of a key in the target. */
    static int partition(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** Notes what the run is going to copy. */
    void begin(Plan plan, Checkpoint checkpoint) {
        open();
        write(checkpoints.record(plan));
        commit(checkpoint);
    }

    /** Sends a copy, which counts once it is committed. */
    void send(ProducerRecord<byte[], byte[]> copy) {
        open();
        write(copy);
        records++;
        bytes += copy.value().length;
    }

    boolean hasOpen() {
        return open;
    }

    /** Whether what is open should be committed now. */
    boolean isFull() {
        return open
                && (records >= MOST_RECORDS
                        || bytes >= MOST_BYTES
                        || System.nanoTime() - openedNanos > LONGEST.toNanos());
    }

    /** Commits what is open together with how far the run has come; waits for the brokers. */
    void commit(Checkpoint checkpoint) {
        open();
        write(checkpoints.record(run, checkpoint));
        guarded(this::commit);
        open = false;
        records = 0;
        bytes = 0;
    }

    private void commit() {
        for (int attempt = 1; ; attempt++) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException e) {
                if (attempt == COMMIT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void open() {
        if (!open) {
            guarded(producer::beginTransaction);
            open = true;
            openedNanos = System.nanoTime();
        }
    }

    /** Whether it worked is what the commit tells. */
    private void write(ProducerRecord<byte[], byte[]> record) {
        guarded(
                () -> {
                    var _ = producer.send(record);
                });
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw ReplayException.failed(
                    "Another process goes on with run " + run + ": this one has stopped");
        } catch (KafkaException e) {
            throw target.explained(e);
        }
    }

    /** What is open and not committed is undone by the broker. */
    @Override
    public void close() {
        producer.close(open ? Duration.ZERO : CLOSE);
    }
}
