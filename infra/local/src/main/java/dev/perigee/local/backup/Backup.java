package dev.perigee.local.backup;

import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * Writing of a fleet's lasting state into a file: of each key of the state topic and of those that
 * say what is installed, the last record. The fleet may run. Each partition is as it was at one
 * moment, its end; partitions are read one after another, those of the state first. Of the other
 * topics the file has what is about instances that the state has, so that none is installed by
 * half. Used once, by one thread; holds a record and an index of one partition.
 */
public final class Backup {
    /** In the order in which they are read. */
    static final List<Topic> TOPICS =
            List.of(Topic.STATE, Topic.STATUS, Topic.TOOLS, Topic.CATALOG);

    private static final int OFTEN = 1_000;

    private final KafkaConnection connection;
    private final String version;
    private final LongConsumer progress;
    private final InstantSource clock;
    private final Installed installed = new Installed();
    private final SortedMap<Topic, Long> counts = new TreeMap<>();
    private long leftOut;
    private long read;

    /**
     * @param version of this program
     * @param progress is told how many records were read, now and then
     */
    public Backup(
            KafkaConnection connection,
            String version,
            LongConsumer progress,
            InstantSource clock) {
        this.connection = PartitionReader.own(connection);
        this.version = version;
        this.progress = progress;
        this.clock = clock;
    }

    /**
     * The file that was written.
     *
     * @param records by topic, without prefix
     * @param instances how many are installed
     * @param leftOut records about instances that the state does not have
     * @param read how many records were there, superseded ones included
     * @param bytes its size
     */
    public record Result(
            String cluster,
            String prefix,
            Instant begunAt,
            Map<String, Long> records,
            int instances,
            long leftOut,
            long read,
            long bytes) {
        public Result {
            records = Collections.unmodifiableMap(new TreeMap<>(records));
        }
    }

    /**
     * Writes a file that must not be there yet.
     *
     * @throws BackupException when it is, cannot be written, or the topics cannot be read
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     * @throws dev.perigee.client.KafkaRefusedException when one refuses
     */
    public Result write(Path file) throws InterruptedException {
        BackupHeader.KIND.refuseTaken(file);
        var cluster = cluster(connection);
        try (var reader = new PartitionReader(connection)) {
            var header =
                    new BackupHeader(
                            BackupHeader.VERSION,
                            version,
                            cluster,
                            connection.names().prefix(),
                            clock.instant(),
                            partitions(reader));
            try (var writer = new BackupWriter(file, header);
                    var values = new LastValues(file)) {
                header.partitions().keySet().forEach(topic -> counts.put(topic, 0L));
                for (var topic : TOPICS) {
                    int count = header.partitions().getOrDefault(topic, 0);
                    for (int partition = 0; partition < count; partition++) {
                        write(topic, partition, reader, values, writer);
                    }
                }
                writer.finish();
                return result(header, writer.bytes());
            } catch (IOException e) {
                throw BackupHeader.KIND.unwritable(file, e);
            }
        }
    }

    private Result result(BackupHeader header, long bytes) {
        var records = new TreeMap<String, Long>();
        counts.forEach((topic, count) -> records.put(topic.suffix(), count));
        return new Result(
                header.cluster(),
                header.prefix(),
                header.begunAt(),
                records,
                installed.count(),
                leftOut,
                read,
                bytes);
    }

    /**
     * The id of a cluster.
     *
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     */
    static String cluster(KafkaConnection connection) throws InterruptedException {
        try (var admin = Admin.create(connection.clientConfig(Map.of()))) {
            return admin.describeCluster()
                    .clusterId()
                    .get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (KafkaException | ExecutionException | TimeoutException e) {
            throw connection.explained(e);
        }
    }

    private SortedMap<Topic, Integer> partitions(PartitionReader reader) {
        var partitions = new TreeMap<Topic, Integer>();
        for (var topic : TOPICS) {
            int count = reader.partitions(connection.name(topic));
            if (count > 0) {
                partitions.put(topic, count);
            } else if (!topic.isOptional()) {
                throw BackupException.unavailable(
                        "There is no topic "
                                + connection.name(topic)
                                + ": name the fleet's cluster with --bootstrap and its prefix with"
                                + " --prefix");
            }
        }
        return partitions;
    }

    private void write(
            Topic topic,
            int partition,
            PartitionReader reader,
            LastValues values,
            BackupWriter writer)
            throws IOException {
        try {
            long end =
                    reader.read(
                            connection.name(topic),
                            partition,
                            record -> {
                                take(topic, record, values);
                                return true;
                            });
            writer.begin(new BackupLines.Section(topic, partition, end));
            values.take((key, line) -> write(topic, key, line, writer));
        } catch (LastValues.TooManyException e) {
            throw BackupException.failed(
                    "%s-%d has more than %d keys, or all partitions together have more than %d instances: no backup is made of so many"
                            .formatted(
                                    connection.name(topic),
                                    partition,
                                    LastValues.MOST,
                                    Installed.MOST));
        } catch (UnwritableException e) {
            throw e.failure;
        }
    }

    /** A disk's failure on its way out of a taker of records. */
    private static final class UnwritableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final IOException failure;

        UnwritableException(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    private void take(Topic topic, ConsumerRecord<byte[], byte[]> record, LastValues values) {
        if (++read % OFTEN == 0) {
            progress.accept(read);
        }
        if (record.key() == null) {
            return; // Brokers refuse such a record on a compacted topic.
        }
        try {
            values.put(record.key(), record.value() == null ? null : line(topic, record));
        } catch (IOException e) {
            throw new UnwritableException(e);
        }
    }

    private static byte[] line(Topic topic, ConsumerRecord<byte[], byte[]> record) {
        var headers = new ArrayList<BackupRecord.Header>();
        record.headers()
                .forEach(each -> headers.add(new BackupRecord.Header(each.key(), each.value())));
        return BackupLines.record(
                new BackupRecord(
                        topic,
                        record.partition(),
                        record.offset(),
                        record.timestamp(),
                        record.key(),
                        headers,
                        record.value()));
    }

    private void write(Topic topic, byte[] key, byte[] line, BackupWriter writer) {
        if (topic == Topic.STATE) {
            var processId = StateRecordNames.processId(new String(key, StandardCharsets.UTF_8));
            if (processId != null) {
                installed.add(processId);
            }
        } else if (!installed.has(key)) {
            leftOut++;
            return;
        }
        counts.merge(topic, 1L, Long::sum);
        writer.record(line);
    }
}
