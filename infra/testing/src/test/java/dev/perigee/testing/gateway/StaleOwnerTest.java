package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.outbound.StateWrite;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.topic.Topic;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that was frozen while another took over, seen from its publisher. */
@DisplayName("FLT-08, RES-21 a stale owner")
final class StaleOwnerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Tenure TENURE = new Tenure(0, 1);
    @TempDir private Path data;

    private final Membership membership = new Membership();
    private final LinkedBlockingQueue<String> endings = new LinkedBlockingQueue<>();

    @Test
    @DisplayName("writes nothing once the group has a newer generation, whatever it believes")
    void writesNothing() throws Exception {
        try (var broker = EmbeddedBroker.start(data);
                var test = new GatewayUnderTest(broker.bootstrap());
                var first = member(broker, test);
                var publisher =
                        new TransactionalPublisher(
                                () -> producer(broker),
                                test.names.of(Topic.COMMANDS),
                                membership,
                                new TopicHealth(test.names),
                                new SimpleMeterRegistry())) {
            publisher.start();
            first.subscribe(List.of(test.names.of(Topic.COMMANDS)));
            await().atMost(PATIENCE)
                    .until(
                            () -> {
                                first.poll(Duration.ofMillis(100));
                                return !first.assignment().isEmpty();
                            });
            membership.update(first.groupMetadata(), Map.of(0, 1L));
            publisher.submit(write(test, "mine"));
            assertThat(endings.poll(40, TimeUnit.SECONDS)).isEqualTo("committed");

            try (var second = member(broker, test)) {
                second.subscribe(List.of(test.names.of(Topic.COMMANDS)));
                expel(broker, test); // The first is frozen: it no longer polls.
                await().atMost(PATIENCE)
                        .until(
                                () -> {
                                    second.poll(Duration.ofMillis(100));
                                    return second.assignment().size()
                                            == GatewayUnderTest.PARTITIONS;
                                });
                publisher.submit(write(test, "stale"));
                assertThat(endings.poll(2, TimeUnit.SECONDS)).isNull();

                membership.update(first.groupMetadata(), Map.of());
                assertThat(endings.poll(40, TimeUnit.SECONDS)).isEqualTo("TENURE_ENDED");
            }
            assertThat(state(broker, test)).containsExactly("mine");
        }
    }

    private StateWrite write(GatewayUnderTest test, String value) {
        var record =
                new ProducerRecord<>(test.names.of(Topic.STATE), 0, bytes("claim"), bytes(value));
        return new StateWrite(
                TENURE,
                List.of(record),
                0,
                new StateWrite.Ending() {
                    @Override
                    public void committed(List<Long> offsets) {
                        endings.add("committed");
                    }

                    @Override
                    public void refused(StateWrite.Refusal refusal) {
                        endings.add(refusal.name());
                    }
                });
    }

    private static String group(GatewayUnderTest test) {
        return test.names.prefix() + "gateway";
    }

    /** The group loses its members, as it does when their sessions end. */
    private static void expel(EmbeddedBroker broker, GatewayUnderTest test) throws Exception {
        try (var admin =
                Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
            admin.removeMembersFromConsumerGroup(
                            group(test), new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
        }
    }

    private static KafkaConsumer<byte[], byte[]> member(
            EmbeddedBroker broker, GatewayUnderTest test) {
        return consumer(broker, Map.of("group.id", group(test)));
    }

    private static KafkaConsumer<byte[], byte[]> consumer(
            EmbeddedBroker broker, Map<String, Object> more) {
        var config = new HashMap<String, Object>(more);
        config.put("bootstrap.servers", broker.bootstrap());
        config.put("isolation.level", "read_committed");
        config.put("auto.offset.reset", "earliest");
        return new KafkaConsumer<>(
                config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static Producer<byte[], byte[]> producer(EmbeddedBroker broker) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "transactional.id",
                        "stale",
                        "transaction.timeout.ms",
                        5_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static List<String> state(EmbeddedBroker broker, GatewayUnderTest test) {
        var partition = new TopicPartition(test.names.of(Topic.STATE), 0);
        try (var reader = consumer(broker, Map.of())) {
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            return reader.poll(PATIENCE).records(partition).stream()
                    .map(ConsumerRecord::value)
                    .map(value -> new String(value, StandardCharsets.UTF_8))
                    .toList();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
