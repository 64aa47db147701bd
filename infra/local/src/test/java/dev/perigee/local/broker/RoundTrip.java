package dev.perigee.local.broker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes and reads with plain Kafka clients. */
final class RoundTrip {
    private RoundTrip() {}

    static void createTopic(String bootstrap, String topic) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var configs = Map.of("max.message.bytes", Integer.toString(20 << 20));
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(configs)))
                    .all()
                    .get();
        }
    }

    static void produce(String bootstrap, String topic, String value) throws Exception {
        Map<String, Object> config =
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "max.request.size",
                        20 << 20,
                        "delivery.timeout.ms",
                        60_000,
                        "linger.ms",
                        0);
        try (var producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, value)).get();
        }
    }

    static List<String> consume(String bootstrap, String topic, int count) {
        var partition = new TopicPartition(topic, 0);
        var values = new ArrayList<String>();
        var deadline = Instant.now().plusSeconds(60);
        try (var consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (values.size() < count && Instant.now().isBefore(deadline)) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }
}
