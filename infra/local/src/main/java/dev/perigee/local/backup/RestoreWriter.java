package dev.perigee.local.backup;

import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Writer of all records of a backup in one transaction: readers of committed records see all of
 * them or none. The transactional id is the prefix's, so that a second restoration ends the first,
 * and undoes what one that was killed had begun. For one thread.
 */
final class RestoreWriter implements AutoCloseable {
    /** Begins every transactional id. */
    static final String ID = "perigee-restore-";

    /** The most that brokers allow unless they are told otherwise. */
    private static final Duration LONGEST = Duration.ofMinutes(15);

    private static final int LARGEST_BYTES = 20 << 20;
    private static final Duration BLOCK = Duration.ofSeconds(30);
    private static final Duration CLOSE = Duration.ofSeconds(5);
    private static final int COMMIT_ATTEMPTS = 3;

    private final KafkaConnection connection;
    private final SortedMap<Topic, Integer> partitions;
    private final KafkaProducer<byte[], byte[]> producer;
    private boolean open;

    /**
     * Begins the transaction.
     *
     * @param partitions of each topic that is written to
     */
    RestoreWriter(KafkaConnection connection, SortedMap<Topic, Integer> partitions) {
        this.connection = connection;
        this.partitions = partitions;
        int block = (int) BLOCK.toMillis();
        try {
            producer =
                    connection.producer(
                            Map.of(
                                    "transactional.id",
                                    ID + connection.names().prefix(),
                                    "transaction.timeout.ms",
                                    (int) LONGEST.toMillis(),
                                    "max.block.ms",
                                    block,
                                    "request.timeout.ms",
                                    block,
                                    "linger.ms",
                                    20,
                                    "max.request.size",
                                    LARGEST_BYTES));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
        try {
            producer.initTransactions();
            producer.beginTransaction();
            open = true;
        } catch (KafkaException e) {
            producer.close(Duration.ZERO);
            throw connection.explained(e);
        }
    }

    /** Writes a record, which counts once all are committed. */
    void write(BackupRecord record) {
        var headers = new RecordHeaders();
        record.headers().forEach(each -> headers.add(each.name(), each.value()));
        guarded(
                () -> {
                    var _ =
                            producer.send(
                                    new ProducerRecord<>(
                                            connection.name(record.topic()),
                                            partition(record, partitions),
                                            timestamp(record),
                                            record.key(),
                                            record.value(),
                                            headers));
                });
    }

    /**
     * The time of a record; of the state's the time of now, since none is read and old ones would
     * begin a new segment every few records: its segments are of ten minutes.
     */
    private static @Nullable Long timestamp(BackupRecord record) {
        return record.topic() == Topic.STATE ? null : (Long) record.at();
    }

    /**
     * The partition of a record: that of the state is where it was, of the other topics that of the
     * key, as gateways write them.
     */
    static int partition(BackupRecord record, SortedMap<Topic, Integer> partitions) {
        if (record.topic().isProcessPartitioned()) {
            return record.partition();
        }
        int count = partitions.getOrDefault(record.topic(), 1);
        return Utils.toPositive(Utils.murmur2(record.key())) % count;
    }

    /** Makes all visible at once; waits for the brokers. */
    void commit() {
        guarded(producer::flush);
        guarded(this::commitAttempts);
        open = false;
    }

    private void commitAttempts() {
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

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw BackupException.failed(
                    "Another restoration under this prefix has begun, or this one took longer than %d min: nothing is restored by this one"
                            .formatted(LONGEST.toMinutes()));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /** Undoes what is not committed. */
    @Override
    public void close() {
        if (open) {
            try {
                producer.abortTransaction();
            } catch (KafkaException | IllegalStateException e) {
                // The brokers undo it when its time is over, or when it is run again.
            }
        }
        producer.close(open ? Duration.ZERO : CLOSE);
    }
}
