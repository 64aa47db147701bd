package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first records of a producer, while brokers learn that they lead partitions: some are refused
 * for that, and those that follow are not. See ADR 0015.
 */
final class FirstRecordsTest {
    private static final int TOPICS = 3;
    private static final int PARTITIONS = 300;
    private static final int RECORDS = 3;

    @Test
    @DisplayName("a producer's first records are all written, also where the leader is not ready")
    void areAllWritten(@TempDir Path data) throws Exception {
        try (var broker = EmbeddedBroker.start(data);
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            var clients =
                    new KafkaClients(
                            GatewaySettings.SCHEMA.read(
                                    Map.of(
                                            "kafka.bootstrap.servers",
                                            broker.bootstrap(),
                                            "workers",
                                            "ws://127.0.0.1:1/link")),
                            "gateway",
                            "gateways",
                            new TopicNames(TopicNames.DEFAULT_PREFIX));
            for (int number = 1; number <= TOPICS; number++) {
                writtenAtOnce(clients, admin, "topic-" + number);
            }
        }
    }

    private static void writtenAtOnce(KafkaClients clients, Admin admin, String topic)
            throws Exception {
        var open = new CountDownLatch(PARTITIONS * RECORDS);
        try (var producer = clients.fastProducer()) {
            var created =
                    admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all();
            // Known is not ready: from here on the first are refused.
            await().ignoreExceptionsInstanceOf(TimeoutException.class)
                    .until(() -> !producer.partitionsFor(topic).isEmpty());
            for (int record = 0; record < RECORDS; record++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    var _ =
                            producer.send(
                                    new ProducerRecord<>(topic, partition, null, new byte[8]),
                                    (_, failure) -> {
                                        if (failure == null) {
                                            open.countDown();
                                        }
                                    });
                }
            }
            created.get();
            var _ = open.await(30, TimeUnit.SECONDS);
            assertThat(open.getCount()).as("records of %s not written", topic).isZero();
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }
}
