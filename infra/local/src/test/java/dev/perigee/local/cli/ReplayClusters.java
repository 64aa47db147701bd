package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Source and target of a replay: two clusters, where each test has topics by its own prefix. */
final class ReplayClusters implements AutoCloseable {
    static final int SOURCE_PARTITIONS = 4;
    static final String SECRET = "s3cret-of-production";

    final EmbeddedBroker production;
    final EmbeddedBroker staging;
    final KafkaProducer<byte[], byte[]> producer;

    /** Time of the first record that is sent without one of its own; each next is later. */
    final long begun = Instant.now().minusSeconds(3_600).toEpochMilli();

    private int sequence;

    private ReplayClusters(EmbeddedBroker production, EmbeddedBroker staging) {
        this.production = production;
        this.staging = staging;
        producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", production.bootstrap(), "linger.ms", 0),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    static ReplayClusters start(Path data) throws IOException {
        var production = EmbeddedBroker.start(data.resolve("production"));
        try {
            return new ReplayClusters(production, EmbeddedBroker.start(data.resolve("staging")));
        } catch (IOException | RuntimeException e) {
            production.close();
            throw e;
        }
    }

    @Override
    public void close() {
        producer.close();
        staging.close();
        production.close();
    }

    /** A time for a record that comes after all that were sent so. */
    long nextTime() {
        return begun + sequence++;
    }

    /** Runs the command between the topics of a prefix. */
    CliRun replay(String prefix, String... more) {
        var arguments = new ArrayList<>(List.of("replay", "--from", production.bootstrap()));
        arguments.addAll(List.of("--to", staging.bootstrap()));
        arguments.addAll(List.of("--from-prefix", prefix, "--to-prefix", prefix));
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }

    /** The source's topics keep their author's times, so that a test can choose them. */
    void topics(String prefix, int targetPartitions) throws Exception {
        try (var admin = admin(production)) {
            var topics =
                    Arrays.stream(Topic.values())
                            .map(
                                    topic ->
                                            new NewTopic(
                                                    prefix + topic.suffix(),
                                                    Optional.of(SOURCE_PARTITIONS),
                                                    Optional.empty()))
                            .toList();
            admin.createTopics(topics).all().get();
        }
        var created =
                CliRun.of(
                        "topics",
                        "--bootstrap",
                        staging.bootstrap(),
                        "--prefix",
                        prefix,
                        "--partitions",
                        Integer.toString(targetPartitions));
        assertThat(created.exitCode()).as(created.err()).isZero();
    }

    static Admin admin(EmbeddedBroker broker) {
        return Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
    }

    String clusterId() throws Exception {
        try (var admin = admin(production)) {
            return admin.describeCluster().clusterId().get();
        }
    }

    static String key(int number) {
        return "t" + number % 3 + "/u" + number;
    }

    static int number(String id) {
        return Integer.parseInt(id.substring(2));
    }

    static String restart(String id, int number) {
        return """
        {"id":"%s","command_type":"restart","payload":{"installation_id":"i%d"}}"""
                .formatted(id, number);
    }

    static String configure(String id) {
        return """
        {"id":"%s","command_type":"configure","payload":{"event":"mcp_installation_created","config":{
        "installation_id":"i","server_slug":"f-server","team_id":"t1","team_slug":"acme","user_id":"u1",
        "user_slug":"alice","transport_type":"http","url":"https://a.test/mcp",
        "env":{"API_KEY":"%s","REGION":"eu"}}}}"""
                .formatted(id, SECRET);
    }

    void send(String prefix, String key, String value) throws Exception {
        sendAt(prefix, key, value, nextTime());
    }

    void sendAt(String prefix, String key, String value, long at) throws Exception {
        sendTo(prefix + "commands", key, value, at);
    }

    void sendTo(String topic, String key, String value, long at) throws Exception {
        producer.send(new ProducerRecord<>(topic, null, at, bytes(key), bytes(value))).get();
    }

    void copyOfBroadcast(String prefix) throws Exception {
        var value =
                bytes(
                        "{\"id\":\"all\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\"}}");
        var copy = new ProducerRecord<>(prefix + "commands", 0, nextTime(), bytes("t1/*"), value);
        var original = prefix + "commands-" + partition(bytes("t1/*"), SOURCE_PARTITIONS) + "@0";
        copy.headers().add(Headers.BROADCAST_OF, bytes(original));
        copy.headers().add(Headers.BROADCAST_AT, bytes("1"));
        producer.send(copy).get();
    }

    void recorded(String prefix, String id, String outcome, String status) throws Exception {
        var answer = result(id, outcome, status);
        sendTo(
                prefix + "command-results",
                id,
                new String(Json.write(answer.value()), StandardCharsets.UTF_8),
                nextTime());
    }

    static Answer result(String id, String outcome, @Nullable String status) {
        var text =
                """
                {"event":"perigee.command.result","command_id":"%s","outcome":"%s",
                 "timestamp":"2026-11-20T10:00:00Z","result":%s,"error":%s}"""
                        .formatted(
                                id,
                                outcome,
                                status == null
                                        ? "null"
                                        : "{\"resulting_status\":\"" + status + "\"}",
                                outcome.equals("failed")
                                        ? "{\"code\":\"internal\",\"message\":\"no\"}"
                                        : "null");
        return new Answer(Topic.COMMAND_RESULTS, id, Json.tree(bytes(text)));
    }

    static void produce(EmbeddedBroker broker, String topic, String key, String value)
            throws Exception {
        try (var one =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrap()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            one.send(new ProducerRecord<>(topic, bytes(key), bytes(value))).get();
        }
    }

    String runOf(String prefix) {
        return header(read(staging, prefix + "commands", 1, 1).getFirst(), "perigee-replay-run");
    }

    static List<Long> ends(EmbeddedBroker broker, String topic, int partitions) {
        try (var consumer = consumer(broker)) {
            return List.copyOf(consumer.endOffsets(partitions(topic, partitions)).values());
        }
    }

    private static List<TopicPartition> partitions(String topic, int count) {
        return IntStream.range(0, count).mapToObj(i -> new TopicPartition(topic, i)).toList();
    }

    private static KafkaConsumer<byte[], byte[]> consumer(EmbeddedBroker broker) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "isolation.level",
                        "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** All committed records of a topic, which are at least so many. */
    static List<ConsumerRecord<byte[], byte[]>> read(
            EmbeddedBroker broker, String topic, int partitions, int atLeast) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        var deadline = Instant.now().plusSeconds(30);
        try (var consumer = consumer(broker)) {
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
        assertThat(records).hasSizeGreaterThanOrEqualTo(atLeast);
        return records;
    }

    static int partition(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    static JsonNode json(ConsumerRecord<byte[], byte[]> record) {
        return Json.tree(record.value());
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "" : text(header.value());
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
