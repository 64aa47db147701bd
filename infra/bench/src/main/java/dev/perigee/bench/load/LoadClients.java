package dev.perigee.bench.load;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Clients set for latency, as the gateway's are, so that what is compared is the path. */
public final class LoadClients {
    private LoadClients() {}

    /** A producer that sends at once and asks for all acknowledgements. */
    public static KafkaProducer<byte[], byte[]> producer(String bootstrap) {
        return producer(bootstrap, Map.of());
    }

    /** The same in transactions. */
    static KafkaProducer<byte[], byte[]> transactionalProducer(String bootstrap) {
        return producer(bootstrap, Map.of("transactional.id", "bench", "retry.backoff.ms", "5"));
    }

    private static KafkaProducer<byte[], byte[]> producer(
            String bootstrap, Map<String, Object> more) {
        var config =
                new HashMap<String, Object>(
                        Map.of(
                                "bootstrap.servers", bootstrap,
                                "linger.ms", "0",
                                "acks", "all",
                                "enable.idempotence", "true",
                                "send.buffer.bytes", "-1",
                                "receive.buffer.bytes", "-1"));
        config.putAll(more);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** A group without members, to commit offsets for. */
    static ConsumerGroupMetadata group(String bootstrap) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", bootstrap, "group.id", "bench", "client.id", "group");
        var bytes = new ByteArrayDeserializer();
        try (var member = new KafkaConsumer<>(config, bytes, bytes)) {
            return member.groupMetadata();
        }
    }

    /** A consumer without a group, of what is committed: the caller assigns partitions. */
    static KafkaConsumer<byte[], byte[]> consumer(String bootstrap) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "enable.auto.commit", "false",
                        "isolation.level", "read_committed",
                        "send.buffer.bytes", "-1",
                        "receive.buffer.bytes", "-1"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
