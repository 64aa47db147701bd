package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.broker.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

/** A cluster of one broker, whose topics a test fills and reads. */
record TestCluster(EmbeddedBroker broker) implements AutoCloseable {

    static TestCluster start(Path data) throws IOException {
        return new TestCluster(EmbeddedBroker.start(data));
    }

    String bootstrap() {
        return broker.bootstrap();
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap()));
    }

    String id() throws Exception {
        try (var admin = admin()) {
            return admin.describeCluster().clusterId().get();
        }
    }

    /** Sends each record at once. */
    KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap(), "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** The ends of a topic's partitions. */
    List<Long> ends(String topic, int partitions) {
        try (var consumer = consumer()) {
            return List.copyOf(consumer.endOffsets(partitions(topic, partitions)).values());
        }
    }

    /** All committed records of a topic, in the order of each partition. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic, int partitions) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        var deadline = Instant.now().plusSeconds(30);
        try (var consumer = consumer()) {
            var all = partitions(topic, partitions);
            consumer.assign(all);
            consumer.seekToBeginning(all);
            var ends = consumer.endOffsets(all);
            while (ends.entrySet().stream()
                    .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                assertThat(Instant.now()).isBefore(deadline);
            }
        }
        return records;
    }

    private static List<TopicPartition> partitions(String topic, int count) {
        return IntStream.range(0, count).mapToObj(i -> new TopicPartition(topic, i)).toList();
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap(),
                        "isolation.level",
                        "read_committed",
                        "fetch.max.wait.ms",
                        KafkaConnection.SHORT_FETCH_MS),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** The partition that Kafka's clients choose for a key. */
    static int partition(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** The text of a header, empty where it is not there. */
    static String header(ConsumerRecord<?, ?> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "" : new String(header.value(), UTF_8);
    }

    @Override
    public void close() {
        broker.close();
    }
}
