package dev.perigee.bench.load;

import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Clients set for latency, as the gateway's are, so that what is compared is the path. */
public final class KafkaClients {
    private KafkaClients() {}

    /** A producer that sends at once and asks for all acknowledgements. */
    public static KafkaProducer<byte[], byte[]> producer(String bootstrap) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "linger.ms", "0",
                        "acks", "all",
                        "enable.idempotence", "true",
                        "send.buffer.bytes", "-1",
                        "receive.buffer.bytes", "-1"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
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
