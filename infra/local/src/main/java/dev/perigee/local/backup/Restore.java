package dev.perigee.local.backup;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.backup.StateRecordNames.Kind;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Restoration of a backup into the topics of a fleet that does not run. Reads the whole file and
 * looks at the topics before it writes anything. Used by one thread; holds one record.
 */
public final class Restore {
    private static final int OFTEN = 1_000;
    private static final Duration VISIBLE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(50);

    private final KafkaConnection connection;
    private final Options options;
    private final Progress progress;

    /**
     * What is allowed and left out.
     *
     * @param overwrite writes also where there are records
     * @param withoutHosts leaves out which worker had each partition
     * @param group of the gateways that would run there
     */
    public record Options(boolean overwrite, boolean withoutHosts, String group) {}

    /** Listener to how far it came. */
    public interface Progress {
        void taken(long records, long of);
    }

    /**
     * What a restoration does or did.
     *
     * @param total records of the file
     * @param records written or to be written, by topic, without prefix
     * @param claims left out, as their offsets mean nothing elsewhere
     * @param hosts partitions of which the backup says which worker had them
     * @param running commands left out that had not ended when the backup was made
     * @param waiting records on the topics that come in, which gateways read first; about
     * @param refusals reasons why it is not done
     */
    public record Plan(
            BackupHeader backup,
            String cluster,
            long total,
            Map<String, Long> records,
            long instances,
            long claims,
            long hosts,
            long running,
            long waiting,
            List<String> refusals) {
        public Plan {
            records = Collections.unmodifiableMap(new TreeMap<>(records));
            refusals = List.copyOf(refusals);
        }
    }

    /**
     * @param progress is told how many records of the file were taken, now and then
     */
    public Restore(KafkaConnection connection, Options options, Progress progress) {
        this.connection = PartitionReader.own(connection);
        this.options = options;
        this.progress = progress;
    }

    /**
     * Reads the file to its end and looks at the topics; writes nothing.
     *
     * @throws BackupException when the file is not whole
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     * @throws dev.perigee.client.KafkaRefusedException when one refuses
     */
    public Plan plan(Path file) throws InterruptedException {
        var tally = new RestoreTally(options.withoutHosts());
        var read =
                BackupReader.verify(
                        file,
                        record -> {
                            var _ = tally.take(record);
                        });
        var header = read.header();
        var cluster = Backup.cluster(connection);
        var found = look(header);
        var records = new TreeMap<String, Long>();
        tally.written().forEach((topic, count) -> records.put(topic.suffix(), count));
        return new Plan(
                header,
                cluster,
                read.records(),
                records,
                tally.of(Kind.INSTANCE),
                tally.of(Kind.CLAIM),
                tally.of(Kind.HOST),
                tally.of(Kind.RUNNING_COMMAND) + tally.of(Kind.BROADCAST),
                found.waiting(),
                found.refusals(header, options.overwrite()));
    }

    private TargetTopics look(BackupHeader header) throws InterruptedException {
        try (var reader = new PartitionReader(connection)) {
            var partitions = new TreeMap<Topic, Integer>();
            var used = EnumSet.noneOf(Topic.class);
            long waiting = 0;
            for (var topic : TargetTopics.needed(header)) {
                var name = connection.name(topic);
                int count = reader.partitions(name);
                if (count == 0) {
                    continue;
                }
                partitions.put(topic, count);
                if (!header.partitions().containsKey(topic)) {
                    waiting += reader.size(name);
                } else if (hasRecords(name, count, reader)) {
                    used.add(topic);
                }
            }
            return new TargetTopics(
                    connection.names(), partitions, used, options.group(), members(), waiting);
        }
    }

    private static boolean hasRecords(String topic, int partitions, PartitionReader reader) {
        var found = new boolean[1];
        for (int partition = 0; partition < partitions && !found[0]; partition++) {
            reader.read(
                    topic,
                    partition,
                    _ -> {
                        found[0] = true;
                        return false;
                    });
        }
        return found[0];
    }

    private int members() throws InterruptedException {
        try (var admin = Admin.create(connection.clientConfig(Map.of()))) {
            return admin.describeConsumerGroups(List.of(options.group()))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .members()
                    .size();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return 0;
            }
            throw connection.explained(e);
        } catch (KafkaException | TimeoutException e) {
            throw connection.explained(e);
        }
    }

    /**
     * Writes what was planned, all or nothing.
     *
     * @param plan of the same file, without refusals
     * @throws BackupException when the file is another by now, or a gateway or another restoration
     *     has begun
     */
    public void write(Path file, Plan plan) throws InterruptedException {
        if (!plan.refusals().isEmpty()) {
            throw new IllegalArgumentException("It is refused");
        }
        try (var reader = new PartitionReader(connection);
                var source = new BackupReader(file)) {
            var partitions = new TreeMap<Topic, Integer>();
            for (var topic : source.header().partitions().keySet()) {
                partitions.put(topic, reader.partitions(connection.name(topic)));
            }
            try (var writer = new RestoreWriter(connection, partitions)) {
                write(source, writer, plan);
            }
            awaitVisible(partitions);
        }
    }

    /** A commit is decided before readers see it: a gateway must not be started in between. */
    private void awaitVisible(SortedMap<Topic, Integer> partitions) throws InterruptedException {
        var ends = new HashMap<TopicPartition, OffsetSpec>();
        partitions.forEach(
                (topic, count) -> {
                    for (int partition = 0; partition < count; partition++) {
                        ends.put(
                                new TopicPartition(connection.name(topic), partition),
                                OffsetSpec.latest());
                    }
                });
        long deadline = System.nanoTime() + VISIBLE.toNanos();
        try (var admin = Admin.create(connection.clientConfig(Map.of()))) {
            while (isOpen(admin, ends)) {
                if (System.nanoTime() - deadline > 0) {
                    throw BackupException.unavailable(
                            "It is restored, but brokers do not show it yet: start gateways when a"
                                    + " --dry-run says that there are records");
                }
                Thread.sleep(LOOK); // Brokers do not tell when a transaction is visible.
            }
        } catch (KafkaException | ExecutionException | TimeoutException e) {
            throw connection.explained(e);
        }
    }

    private static boolean isOpen(Admin admin, Map<TopicPartition, OffsetSpec> ends)
            throws InterruptedException, ExecutionException, TimeoutException {
        long patience = 2 * KafkaConnection.PATIENCE.toSeconds();
        var all =
                admin.listOffsets(ends, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                        .all()
                        .get(patience, TimeUnit.SECONDS);
        var visible =
                admin.listOffsets(ends, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                        .all()
                        .get(patience, TimeUnit.SECONDS);
        return all.entrySet().stream()
                .anyMatch(
                        each -> {
                            var seen = visible.get(each.getKey());
                            return seen == null || seen.offset() < each.getValue().offset();
                        });
    }

    private void write(BackupReader source, RestoreWriter writer, Plan plan)
            throws InterruptedException {
        var tally = new RestoreTally(options.withoutHosts());
        for (var record = source.next(); record != null; record = source.next()) {
            if (tally.take(record)) {
                writer.write(record);
            }
            if (source.records() % OFTEN == 0) {
                progress.taken(source.records(), plan.total());
            }
        }
        long written = tally.written().values().stream().mapToLong(Long::longValue).sum();
        long planned = plan.records().values().stream().mapToLong(Long::longValue).sum();
        if (!source.header().equals(plan.backup()) || written != planned) {
            throw BackupException.usage("The file was replaced meanwhile: nothing is restored");
        }
        if (members() > 0) {
            throw BackupException.failed(
                    "A gateway was started meanwhile: nothing is restored. Stop it, and run this again");
        }
        writer.commit();
    }
}
