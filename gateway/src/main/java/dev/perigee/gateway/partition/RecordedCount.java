package dev.perigee.gateway.partition;

import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The number of process partitions with which a fleet began, and the ids of the topics that come
 * in, kept in the state topic's partition 0, which every count has. Written once, and once more
 * where ids were not recorded yet; never changed: a gateway that starts later sees that the topics
 * have another count. Blocks; for the thread that starts a gateway.
 */
public final class RecordedCount {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(500);

    private final String topic;

    /**
     * What is recorded.
     *
     * @param topicIds by the topics' suffixes; empty where an earlier version recorded none
     */
    public record Recorded(int partitions, Map<String, String> topicIds) {
        public Recorded {
            topicIds = Map.copyOf(topicIds);
        }
    }

    /**
     * @param topic of state
     */
    public RecordedCount(String topic) {
        this.topic = topic;
    }

    /**
     * What was recorded, null when nothing was.
     *
     * @param consumers makes a consumer outside any group that reads committed records only
     * @throws KafkaException when the topic cannot be read
     */
    public @Nullable Recorded read(Supplier<Consumer<byte[], byte[]>> consumers) {
        var consumer = consumers.get();
        try {
            return read(consumer);
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    private @Nullable Recorded read(Consumer<byte[], byte[]> consumer) {
        var partition = new TopicPartition(topic, 0);
        var all = List.of(partition);
        consumer.assign(all);
        long end = consumer.endOffsets(all, LIMIT).getOrDefault(partition, 0L);
        consumer.seekToBeginning(all);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        Recorded recorded = null;
        while (consumer.position(partition, LIMIT) < end) {
            if (System.nanoTime() - deadline > 0) {
                throw new KafkaException("The topic " + topic + " cannot be read to its end");
            }
            for (var record : consumer.poll(POLL).records(partition)) {
                if (isRecord(record.key()) && record.value() != null) {
                    var fleet = Json.read(record.value(), StateRecord.Fleet.class);
                    var ids = fleet.topicIds();
                    recorded = new Recorded(fleet.partitions(), ids == null ? Map.of() : ids);
                }
            }
        }
        return recorded;
    }

    private static boolean isRecord(byte @Nullable [] key) {
        return key != null && StateRecord.FLEET_KEY.equals(new String(key, StandardCharsets.UTF_8));
    }

    /**
     * Records it for a fleet that begins.
     *
     * @param producers makes a producer without transactions
     * @throws KafkaException when it cannot be written
     */
    public void write(Supplier<Producer<byte[], byte[]>> producers, Recorded recorded)
            throws InterruptedException {
        var producer = producers.get();
        try {
            producer.send(
                            new ProducerRecord<>(
                                    topic,
                                    0,
                                    StateRecord.FLEET_KEY.getBytes(StandardCharsets.UTF_8),
                                    Json.write(
                                            new StateRecord.Fleet(
                                                    recorded.partitions(), recorded.topicIds()))))
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new KafkaException("The topic " + topic + " cannot be written", e);
        } finally {
            producer.close(Duration.ZERO);
        }
    }
}
