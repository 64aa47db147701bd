package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** Reader of records as they come from a broker, each with the headers that were set before. */
final class ReaderBench {
    static final int PARTITIONS = 8;

    private static final TopicNames NAMES = new TopicNames("mcp.");

    final RecordHeaders headers = new RecordHeaders();
    private final RecordReader reader = reader(4_096);

    static RecordReader reader(long maxBytes) {
        return new RecordReader(
                new ReplyTopics(NAMES, List.of("{prefix}*", "replies.*")),
                PARTITIONS,
                maxBytes,
                Duration.ofSeconds(30));
    }

    /** One of these rules for secrets. */
    static RecordReader reader(PlainSecrets plain, boolean sealsState) {
        return new RecordReader(
                new ReplyTopics(NAMES, List.of()),
                PARTITIONS,
                1 << 20,
                Duration.ofSeconds(30),
                Duration.ofHours(1),
                new BrokerClock(),
                plain,
                sealsState);
    }

    Inbound read(Topic topic, ConsumerRecord<byte[], byte[]> record) {
        return reader.read(topic, record);
    }

    void header(String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a command that may be of any usual size. */
    Inbound generous(String key, String value) {
        return reader(1 << 20).read(Topic.COMMANDS, record(key, value, partitionOf(key)));
    }

    Inbound request(String key, @Nullable String value) {
        return reader.read(Topic.TOOL_REQUESTS, record(key, value, partitionOf(key)));
    }

    Inbound command(String key, String value) {
        return reader.read(Topic.COMMANDS, record(key, value, partitionOf(key)));
    }

    static int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % PARTITIONS;
    }

    @SuppressWarnings("NullAway") // a tombstone
    ConsumerRecord<byte[], byte[]> record(String key, @Nullable String value, int partition) {
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        return new ConsumerRecord<>(
                "topic",
                partition,
                7,
                1_000,
                TimestampType.LOG_APPEND_TIME,
                key.length(),
                bytes == null ? -1 : bytes.length,
                key.getBytes(StandardCharsets.UTF_8),
                bytes,
                headers,
                Optional.empty());
    }
}
