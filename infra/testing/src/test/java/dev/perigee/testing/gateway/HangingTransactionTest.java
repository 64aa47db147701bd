package dev.perigee.testing.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.Topic;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of transactions that are over for their coordinator, and of others. */
@DisplayName("A transaction in a topic that a gateway writes")
final class HangingTransactionTest {
    /** The first version that says nothing of partitions to the coordinator is below 12. */
    private static final short VERSION = 11;

    private static final int HANGING = 1;
    private static final int LIVE = 2;
    private static final long UNKNOWN = 1_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir private Path data;

    @Test
    @SuppressWarnings("try") // The gateway leaves before the fleet does.
    @DisplayName(
            "that hangs is aborted, and its partition served or read; one that is open, or of who"
                    + " is not known, is let alone")
    void hangs() throws Exception {
        var kafka = Map.of("transaction.partition.verification.enable", "false");
        try (var broker = EmbeddedBroker.start(new HostPort("127.0.0.1", 0), data, kafka);
                var test = new GatewayUnderTest(broker.bootstrap());
                var hanging = producer(broker, "hanging");
                var live = producer(broker, "live")) {
            var topic = test.names.of(Topic.STATE);
            var results = test.names.of(Topic.COMMAND_RESULTS);
            hanging.initTransactions();
            hang(broker, "hanging", new TopicPartition(topic, HANGING));
            hang(broker, "hanging", new TopicPartition(results, HANGING));
            var unknown = new TopicPartition(results, LIVE);
            hang(broker, "unknown", UNKNOWN, 0, unknown);
            live.initTransactions();
            live.beginTransaction();
            live.send(new ProducerRecord<>(topic, LIVE, bytes("key"), bytes("{}"))).get();

            try (var gateway = test.start("a")) {
                await().atMost(PATIENCE).until(() -> GatewayUnderTest.serving(gateway) == others());
                await().atMost(PATIENCE).until(() -> aborted(gateway) == 2);
                assertThat(isOpen(broker, new TopicPartition(results, HANGING))).isFalse();
                assertThat(isOpen(broker, unknown)).isTrue();

                live.commitTransaction();
                await().atMost(PATIENCE)
                        .until(
                                () ->
                                        GatewayUnderTest.serving(gateway)
                                                == GatewayUnderTest.PARTITIONS);
                assertThat(aborted(gateway)).isEqualTo(2);
            }
        }
    }

    private static int others() {
        return GatewayUnderTest.PARTITIONS - 1;
    }

    private static double aborted(Gateway gateway) {
        return gateway.metrics().get("perigee.gateway.transactions.hanging").counter().count();
    }

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedBroker broker, String id) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "transactional.id",
                        id,
                        "transaction.timeout.ms",
                        300_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static void hang(EmbeddedBroker broker, String id, TopicPartition partition)
            throws Exception {
        try (var admin = admin(broker)) {
            var producer = admin.describeTransactions(List.of(id)).description(id).get();
            hang(broker, id, producer.producerId(), producer.producerEpoch(), partition);
        }
    }

    /** A record as one of a transaction that was never begun. */
    private static void hang(
            EmbeddedBroker broker, String id, long producerId, int epoch, TopicPartition partition)
            throws Exception {
        var records =
                MemoryRecords.withTransactionalRecords(
                        Compression.NONE,
                        producerId,
                        (short) epoch,
                        0,
                        new SimpleRecord(bytes("key"), bytes("{}")));
        var topics = new TopicProduceDataCollection();
        topics.add(
                new TopicProduceData()
                        .setName(partition.topic())
                        .setPartitionData(
                                List.of(
                                        new PartitionProduceData()
                                                .setIndex(partition.partition())
                                                .setRecords(records))));
        var produce =
                new ProduceRequestData()
                        .setTransactionalId(id)
                        .setAcks((short) -1)
                        .setTimeoutMs(10_000)
                        .setTopicData(topics);
        send(broker, new ProduceRequest.Builder(VERSION, VERSION, produce).build(VERSION));
        await().atMost(PATIENCE).until(() -> isOpen(broker, partition));
    }

    private static boolean isOpen(EmbeddedBroker broker, TopicPartition partition)
            throws Exception {
        try (var admin = admin(broker)) {
            return admin
                    .describeProducers(List.of(partition))
                    .partitionResult(partition)
                    .get()
                    .activeProducers()
                    .stream()
                    .anyMatch(each -> each.currentTransactionStartOffset().isPresent());
        }
    }

    private static Admin admin(EmbeddedBroker broker) {
        return Admin.create(Map.of("bootstrap.servers", (Object) broker.bootstrap()));
    }

    private static void send(EmbeddedBroker broker, ProduceRequest request) throws IOException {
        var address = requireNonNull(HostPort.parse(broker.bootstrap()));
        try (var socket = new Socket(address.host(), address.port())) {
            var bytes =
                    request.serializeWithHeader(
                            new RequestHeader(ApiKeys.PRODUCE, VERSION, "by-hand", 1));
            var out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(bytes.remaining());
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            out.flush();
            var in = new DataInputStream(socket.getInputStream());
            in.readNBytes(in.readInt());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
