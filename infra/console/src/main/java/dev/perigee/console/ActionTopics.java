package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Utils;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * The topics in Kafka. Its producer is made for the first action, and kept. Any thread; each call
 * waits for some seconds at most.
 */
final class ActionTopics implements ActionLog {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final Admin admin;
    private final TopicNames names;
    private final int partitions;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Producer<byte[], byte[]> producer;
    private boolean closed;

    /**
     * The topics of a fleet.
     *
     * @param partitions by which a command's key decides its partition
     */
    ActionTopics(
            Supplier<Producer<byte[], byte[]>> producers,
            Supplier<Consumer<byte[], byte[]>> consumers,
            Admin admin,
            TopicNames names,
            int partitions) {
        this.producers = producers;
        this.consumers = consumers;
        this.admin = admin;
        this.names = names;
        this.partitions = partitions;
    }

    @Override
    public void record(List<AuditRecord> records)
            throws ActionRefusedException, InterruptedException {
        var name = names.of(Topic.AUDIT);
        requireAudit(name);
        var made = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var audit : records) {
            var record =
                    new ProducerRecord<>(name, audit.actionId().getBytes(UTF_8), Json.write(audit));
            audit.headers()
                    .forEach((header, text) -> record.headers().add(header, text.getBytes(UTF_8)));
            made.add(record);
        }
        write(made, "The action cannot be recorded on " + name + ", so it is not done");
    }

    /** A producer would make it where brokers do that by themselves, or wait for it in vain. */
    private void requireAudit(String name) throws ActionRefusedException, InterruptedException {
        try {
            admin.describeTopics(List.of(name))
                    .allTopicNames()
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw unavailable(
                        "The topic "
                                + name
                                + " does not exist, and what is not recorded is not done: create"
                                + " it with 'perigee topics'.");
            }
            throw unavailable(why("The action cannot be recorded on " + name, e.getCause()));
        } catch (TimeoutException e) {
            throw unavailable("The brokers do not answer, so the action is not done.");
        }
    }

    @Override
    public void send(Command command) throws ActionRefusedException, InterruptedException {
        var key = command.key().toString().getBytes(UTF_8);
        var record =
                new ProducerRecord<>(
                        names.of(Topic.COMMANDS),
                        Utils.toPositive(Utils.murmur2(key)) % partitions,
                        key,
                        Json.write(command));
        write(List.of(record), "The command cannot be sent");
    }

    private void write(List<ProducerRecord<byte[], byte[]>> records, String failure)
            throws ActionRefusedException, InterruptedException {
        try {
            var writer = producer();
            var sent = new ArrayList<Future<RecordMetadata>>();
            records.forEach(record -> sent.add(writer.send(record)));
            long end = System.nanoTime() + 2 * PATIENCE.toNanos();
            for (var each : sent) {
                var _ = each.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
        } catch (ExecutionException e) {
            throw unavailable(why(failure, e.getCause()));
        } catch (InterruptException e) {
            throw interrupted(e);
        } catch (TimeoutException | KafkaException e) {
            throw unavailable(why(failure, e));
        }
    }

    private Producer<byte[], byte[]> producer() throws ActionRefusedException {
        lock.lock();
        try {
            if (closed) {
                throw unavailable("The gateway ends.");
            }
            var known = producer;
            if (known == null) {
                known = producers.get();
                producer = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Results results() throws ActionRefusedException, InterruptedException {
        var name = names.of(Topic.COMMAND_RESULTS);
        Consumer<byte[], byte[]> consumer = null;
        try {
            consumer = consumers.get();
            var all =
                    Objects.requireNonNullElse(
                                    consumer.partitionsFor(name, PATIENCE),
                                    List.<PartitionInfo>of())
                            .stream()
                            .map(info -> new TopicPartition(name, info.partition()))
                            .toList();
            if (all.isEmpty()) {
                throw new UnknownTopicOrPartitionException("it does not exist");
            }
            consumer.assign(all);
            consumer.endOffsets(all, PATIENCE).forEach(consumer::seek);
            return new Tail(consumer, name);
        } catch (KafkaException e) {
            if (consumer != null) {
                consumer.close(CloseOptions.timeout(Duration.ZERO));
            }
            if (e instanceof InterruptException stop) {
                throw interrupted(stop);
            }
            throw unreadable(name, e);
        }
    }

    private static ActionRefusedException unreadable(String name, KafkaException e) {
        return unavailable(why("The results on " + name + " cannot be read", e));
    }

    private record Tail(Consumer<byte[], byte[]> consumer, String name) implements Results {
        @Override
        public List<CommandResult> poll(Duration wait)
                throws ActionRefusedException, InterruptedException {
            var results = new ArrayList<CommandResult>();
            try {
                for (var record : consumer.poll(wait)) {
                    try {
                        if (record.value() != null) {
                            results.add(Json.read(record.value(), CommandResult.class));
                        }
                    } catch (InvalidRecordException e) {
                        // Of a newer version, or somebody else's: it is no result of ours.
                    }
                }
            } catch (InterruptException e) {
                throw interrupted(e);
            } catch (KafkaException e) {
                throw unreadable(name, e);
            }
            return results;
        }

        @Override
        public void close() {
            try {
                consumer.close(CloseOptions.timeout(Duration.ZERO));
            } catch (InterruptException e) {
                // Of a stop that came at the end: it is closed, and the thread's flag set again.
            }
        }
    }

    static String why(String failure, @Nullable Throwable cause) {
        return cause instanceof AuthorizationException
                ? failure
                        + ": there is no right to. 'perigee acls console' lists those that it"
                        + " needs."
                : failure + ": " + (cause == null ? "no answer" : cause.getMessage());
    }

    /** Kafka's has set the thread's flag again, which would end the next wait, too. */
    static InterruptedException interrupted(InterruptException cause) {
        var _ = Thread.interrupted();
        var interrupted = new InterruptedException("while Kafka was waited for");
        interrupted.initCause(cause);
        return interrupted;
    }

    static ActionRefusedException unavailable(String why) {
        return new ActionRefusedException(
                HttpStatus.SERVICE_UNAVAILABLE_503, Text.cut(why, AuditRecord.MAX_REASON));
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> made;
        lock.lock();
        try {
            closed = true;
            made = producer;
            producer = null;
        } finally {
            lock.unlock();
        }
        if (made != null) {
            made.close(Duration.ZERO);
        }
    }
}
