package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** On a real broker, topics of its own for each test and each side. */
@DisplayName("OPS-15: perigee backup and restore")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BackupCommandTest {
    private static final int PARTITIONS = 3;
    private static final byte[] SEALED = {1, 3, 'k', '-', '1', (byte) 0xff, 0, (byte) 0x80, 9};
    private static final AtomicInteger RUNS = new AtomicInteger();

    private EmbeddedBroker broker;
    private KafkaProducer<byte[], byte[]> producer;
    private String from;
    private String to;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data);
        producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrap(), "linger.ms", 0),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    @AfterAll
    void stop() {
        producer.close(Duration.ofSeconds(2));
        broker.close();
    }

    @BeforeEach
    void topics() {
        int run = RUNS.incrementAndGet();
        from = "f" + run + ".";
        to = "t" + run + ".";
        create(from, PARTITIONS);
        create(to, PARTITIONS);
    }

    private void create(String prefix, int partitions) {
        var run = run("topics", prefix, "--partitions", Integer.toString(partitions));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private CliRun run(String command, String prefix, String... more) {
        var all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--bootstrap", broker.bootstrap(), "--prefix", prefix));
        all.addAll(List.of(more));
        return CliRun.of(all.toArray(String[]::new));
    }

    private void put(String prefix, Topic topic, int partition, String key, byte @Nullable [] value)
            throws Exception {
        var record =
                new ProducerRecord<>(
                        prefix + topic.suffix(), partition, 1_000L, key.getBytes(UTF_8), value);
        record.headers().add("ce_id", ("id-of-" + key).getBytes(UTF_8));
        producer.send(record).get();
    }

    private void state(int partition, String key, @Nullable String value) throws Exception {
        put(from, Topic.STATE, partition, key, value == null ? null : value.getBytes(UTF_8));
    }

    /** A record where gateways write it. */
    private void publish(Topic topic, String key, @Nullable String value) throws Exception {
        var record =
                new ProducerRecord<>(
                        from + topic.suffix(),
                        null,
                        2_000L,
                        key.getBytes(UTF_8),
                        value == null ? null : value.getBytes(UTF_8));
        record.headers().add("ce_id", ("id-of-" + key).getBytes(UTF_8));
        producer.send(record).get();
    }

    /** Two users' servers, one removed, and what else a fleet has. */
    private void fleet() throws Exception {
        state(0, "fleet", "{\"partitions\":3,\"topic_ids\":{\"commands\":\"x\"}}");
        state(0, "claim", "{\"gateway_id\":\"g\"}");
        state(0, "host", "{\"worker_id\":\"w\",\"incarnation\":\"i\"}");
        state(0, "instance/p1", "{\"old\":true}");
        state(0, "instance/gone", "{}");
        state(0, "runtime/p1", "{\"status\":\"online\"}");
        state(0, "instance/gone", null);
        state(0, "command/c1", "{\"outcome\":\"completed\"}");
        state(0, "command/c2", "{\"origin\":{}}");
        put(from, Topic.STATE, 0, "instance/p1", SEALED);
        state(2, "instance/p2", "{\"config\":2}");
        state(2, "suspicion/p2", "{}");
        state(2, "broadcast/c3", "{}");
        for (var topic : List.of(Topic.STATUS, Topic.TOOLS, Topic.CATALOG)) {
            for (int i = 0; i < 4; i++) {
                publish(topic, "p1", "{\"n\":" + i + "}");
                publish(topic, "p2", "{\"n\":" + i + "}");
            }
            publish(topic, "ghost", "{}");
            publish(topic, "gone", "{}");
            publish(topic, "gone", null);
        }
    }

    private record Kept(int partition, String value, long at, String id) {}

    /** The last record of each key of a topic, those of the state without their time. */
    private Map<String, Kept> kept(String prefix, Topic topic) {
        var kept = new TreeMap<String, Kept>();
        for (var record : records(prefix + topic.suffix())) {
            var key = new String(record.key(), UTF_8);
            if (record.value() == null) {
                kept.remove(key);
            } else {
                var id = record.headers().lastHeader("ce_id");
                kept.put(
                        key,
                        new Kept(
                                record.partition(),
                                Arrays.toString(record.value()),
                                topic == Topic.STATE ? 0 : record.timestamp(),
                                new String(id.value(), UTF_8)));
            }
        }
        return kept;
    }

    private List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        var config =
                Map.<String, Object>of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "isolation.level",
                        "read_committed",
                        "fetch.max.wait.ms",
                        KafkaConnection.SHORT_FETCH_MS);
        try (var consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            while (!ends.entrySet().stream()
                    .allMatch(end -> consumer.position(end.getKey()) >= end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    private static JsonNode json(CliRun run) {
        return Json.tree(run.out().strip().getBytes(UTF_8));
    }

    private Path backup(Path folder) {
        var file = folder.resolve("fleet.backup");
        var run = run("backup", from, file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        return file;
    }

    @Test
    @DisplayName("bring what is installed back, byte by byte, and leave out what ended with before")
    void restores(@TempDir Path folder) throws Exception {
        long began = System.currentTimeMillis();
        fleet();
        var file = folder.resolve("fleet.backup");
        var made = run("backup", from, file.toString(), "--output", "json");
        assertThat(made.exitCode()).as(made.err()).isZero();
        assertThat(json(made).path("instances").asInt()).isEqualTo(2);
        assertThat(json(made).path("left_out").asInt()).isEqualTo(3);
        assertThat(json(made).at("/records/status").asInt()).isEqualTo(2);
        var checked = run("backup", from, file.toString(), "--check");
        assertThat(checked.exitCode()).as(checked.err()).isZero();
        assertThat(checked.out()).contains("/" + from + ", 3 partitions", "is whole");

        var planned = run("restore", to, file.toString(), "--dry-run", "--output", "json");
        assertThat(planned.exitCode()).as(planned.err()).isZero();
        assertThat(json(planned).path("restored").asBoolean(true)).isFalse();
        assertThat(records(to + "state")).isEmpty();
        var done = run("restore", to, file.toString(), "--output", "json");
        assertThat(done.exitCode()).as(done.err()).isZero();
        assertThat(done.err()).contains("2 commands had not ended", "1 partitions name the worker");

        assertThat(json(done).path("restored").asBoolean()).isTrue();
        assertThat(json(done).path("instances").asInt()).isEqualTo(2);
        assertThat(json(done).path("records")).isEqualTo(json(planned).path("records"));
        var expected = new HashMap<>(kept(from, Topic.STATE));
        assertThat(expected.get("instance/p1"))
                .satisfies(p1 -> assertThat(p1.value()).isEqualTo(Arrays.toString(SEALED)));
        expected.keySet().removeAll(List.of("claim", "command/c2", "broadcast/c3"));
        assertThat(kept(to, Topic.STATE)).isEqualTo(expected).hasSize(7);
        assertThat(records(to + "state"))
                .as("of now, or each would begin a segment")
                .allMatch(record -> record.timestamp() >= began);
        for (var topic : List.of(Topic.STATUS, Topic.TOOLS, Topic.CATALOG)) {
            var here = new HashMap<>(kept(from, topic));
            here.remove("ghost");
            assertThat(kept(to, topic)).isEqualTo(here).containsOnlyKeys("p1", "p2");
            assertThat(records(to + topic.suffix())).hasSize(2);
        }
    }

    @Test
    @DisplayName("refuse to write over records, unless told to")
    void overwrites(@TempDir Path folder) throws Exception {
        fleet();
        var file = backup(folder);
        put(to, Topic.STATE, 0, "instance/p1", new byte[] {'{', '}'});
        put(to, Topic.STATE, 0, "instance/other", new byte[] {'{', '}'});

        var refused = run("restore", to, file.toString(), "--without-hosts");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("records on " + to + "state", "Nothing was written");
        assertThat(records(to + "state")).hasSize(2);
        assertThat(records(to + "status")).isEmpty();

        var told = run("restore", to, file.toString(), "--without-hosts", "--overwrite");
        assertThat(told.exitCode()).as(told.err()).isZero();
        assertThat(kept(to, Topic.STATE))
                .containsKeys("instance/other", "instance/p2")
                .doesNotContainKey("host");
        assertThat(kept(to, Topic.STATE).get("instance/p1"))
                .isEqualTo(kept(from, Topic.STATE).get("instance/p1"));
        var again = run("backup", from, file.toString());
        assertThat(again.exitCode()).isEqualTo(64);
        assertThat(again.err()).contains("exists: remove it");
    }

    @Test
    @DisplayName("refuse a cut or damaged file, and another count, before anything is written")
    void refuses(@TempDir Path folder) throws Exception {
        fleet();
        var file = backup(folder);
        var bytes = Files.readAllBytes(file);
        var cut = Files.write(folder.resolve("cut"), Arrays.copyOf(bytes, bytes.length - 12));
        bytes[bytes.length / 2] ^= 1;
        var damaged = Files.write(folder.resolve("damaged"), bytes);
        for (var bad : List.of(cut, damaged, folder.resolve("none"))) {
            var run = run("restore", to, bad.toString());
            assertThat(run.exitCode()).as(run.err()).isEqualTo(64);
            assertThat(run("backup", from, bad.toString(), "--check").exitCode()).isEqualTo(64);
        }
        var other = to + "other.";
        create(other, PARTITIONS + 1);
        var count = run("restore", other, file.toString());
        assertThat(count.exitCode()).isEqualTo(1);
        assertThat(count.err())
                .contains("3 partitions, but", other + "state has 4", "topics --partitions 3");
        var missing = run("restore", "none.", file.toString());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("There is no topic", "none.state");
        assertThat(run("backup", "none.", folder.resolve("b").toString()).exitCode()).isEqualTo(69);
        for (var topic : List.of(Topic.STATE, Topic.STATUS, Topic.TOOLS, Topic.CATALOG)) {
            assertThat(records(to + topic.suffix())).isEmpty();
            assertThat(records(other + topic.suffix())).isEmpty();
        }
    }

    @Test
    @DisplayName("refuse while a gateway is in the group there")
    void refusesWhereAGatewayRuns(@TempDir Path folder) throws Exception {
        fleet();
        var file = backup(folder);
        var config =
                Map.<String, Object>of(
                        "bootstrap.servers", broker.bootstrap(), "group.id", to + "gateway");
        try (var gateway =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            gateway.subscribe(List.of(to + "commands"));
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (gateway.assignment().isEmpty() && System.nanoTime() < deadline) {
                gateway.poll(Duration.ofMillis(100));
            }
            var run = run("restore", to, file.toString(), "--overwrite");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("1 gateways of the group " + to + "gateway run");
            assertThat(records(to + "state")).isEmpty();
        }
    }

    @Test
    @DisplayName("keep each partition as it was at one moment, while it is written to")
    void consistent(@TempDir Path folder) throws Exception {
        var ends = new AtomicBoolean();
        var writes = new AtomicInteger();
        // In each partition first b, then a has the next number.
        var writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (!ends.get()) {
                                            var number = "" + writes.incrementAndGet();
                                            for (int p = 0; p < PARTITIONS; p++) {
                                                state(p, "instance/b" + p, number);
                                                state(p, "instance/a" + p, number);
                                            }
                                            Thread.sleep(30);
                                        }
                                    } catch (Exception e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        try {
            for (int i = 0; i < 2; i++) {
                var file = folder.resolve("b" + i);
                var run = run("backup", from, file.toString());
                assertThat(run.exitCode()).as(run.err()).isZero();
                var restored = run("restore", to, file.toString(), "--overwrite");
                assertThat(restored.exitCode()).as(restored.err()).isZero();
                var kept = kept(to, Topic.STATE);
                for (int p = 0; p < PARTITIONS; p++) {
                    int a = number(kept, "instance/a" + p);
                    int b = number(kept, "instance/b" + p);
                    assertThat(b - a).as("%d and %d", b, a).isBetween(0, 1);
                }
            }
        } finally {
            ends.set(true);
            writer.join(Duration.ofSeconds(30));
        }
    }

    private static int number(Map<String, Kept> kept, String key) {
        var value = kept.get(key);
        if (value == null) {
            return 0;
        }
        var digits = new StringBuilder();
        for (var each : value.value().replaceAll("[\\[\\] ]", "").split(",")) {
            digits.append((char) Integer.parseInt(each));
        }
        return Integer.parseInt(digits.toString());
    }
}
