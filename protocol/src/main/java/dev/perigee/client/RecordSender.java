package dev.perigee.client;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Producer of commands and requests that waits until the broker has each record. Thread-safe; a
 * send blocks for twice {@link KafkaConnection#PATIENCE} at most.
 */
final class RecordSender implements AutoCloseable {
    private static final int LARGEST_BYTES = 17 << 20;

    private final KafkaConnection connection;
    private final KafkaProducer<byte[], byte[]> producer;

    RecordSender(KafkaConnection connection) {
        this.connection = connection;
        var patience = (int) KafkaConnection.PATIENCE.toMillis();
        try {
            producer =
                    connection.producer(
                            Map.of(
                                    "linger.ms", 0,
                                    "max.block.ms", patience,
                                    "delivery.timeout.ms", patience,
                                    "max.request.size", LARGEST_BYTES));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /**
     * Sends one record.
     *
     * @throws BrokerUnreachableException when the broker did not take it in time
     * @throws KafkaRefusedException when the broker or the client refuses
     * @throws IllegalArgumentException when the record is larger than 17 MiB
     */
    void send(Topic topic, RecordKey key, Object value, List<Header> headers)
            throws InterruptedException {
        send(topic, null, key, value, headers);
    }

    /** The same of a command, by the count of partitions that it names. */
    void send(Addressed command) throws InterruptedException {
        send(Topic.COMMANDS, partition(command), command.key(), command.command(), List.of());
    }

    /** Null where the client is to choose. */
    private static @Nullable Integer partition(Addressed command) {
        var count = command.partitions();
        return count == null ? null : Utils.toPositive(Utils.murmur2(bytes(command.key()))) % count;
    }

    private void send(
            Topic topic,
            @Nullable Integer partition,
            RecordKey key,
            Object value,
            List<Header> headers)
            throws InterruptedException {
        var record =
                new ProducerRecord<>(
                        connection.name(topic), partition, bytes(key), Json.write(value), headers);
        try {
            producer.send(record).get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RecordTooLargeException) {
                throw new IllegalArgumentException(
                        "The record is larger than the topic takes, which is 17 MiB.", e);
            }
            throw connection.explained(e);
        } catch (KafkaException | TimeoutException e) {
            throw connection.explained(e);
        }
    }

    private static byte[] bytes(RecordKey key) {
        return key.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producer.close(KafkaConnection.PATIENCE);
    }
}
