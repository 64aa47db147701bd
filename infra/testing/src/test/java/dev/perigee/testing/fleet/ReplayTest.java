package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The fleet is staging; production is topics under other prefixes, with what it had recorded. */
@DisplayName("perigee replay, into a real fleet")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplayTest {
    private static final int SOURCE_PARTITIONS = 5;
    private static final String SECRET = "s3cret-of-production";

    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("replay").partitions(3).start();
    }

    @AfterAll
    void stop() {
        fleet.close();
    }

    @Test
    @DisplayName("shows staging what production was told, and what came of it in both")
    void compares(@TempDir Path folder) throws Exception {
        topics("prod.", SOURCE_PARTITIONS);
        var well = Installation.fixture().withEnv("API_KEY", SECRET).withEnv("LOG_LEVEL", "debug");
        var broken = Installation.fixture("--crash-on-start");
        install("prod.", well, "cmd-well");
        install("prod.", broken, "cmd-broken");
        var page = folder.resolve("replay.html");

        var replay =
                run(
                        "replay-compare",
                        "--from-prefix",
                        "prod.",
                        "--speed",
                        "max",
                        "--output",
                        "json",
                        "--report",
                        page.toString());

        assertThat(replay.awaitExit()).as(replay.output()).isEqualTo(1);
        var rows = rows(replay);
        assertThat(rows).hasSize(2);
        assertThat(rows.getFirst().path("original_id").asString()).isEqualTo("cmd-broken");
        assertThat(rows.getFirst().path("difference").asString()).isEqualTo("outcome");
        assertThat(rows.getLast().path("original_id").asString()).isEqualTo("cmd-well");
        assertThat(rows.getLast().path("difference").asString()).isEqualTo("none");
        assertThat(rows.getLast().at("/staging/final_status").asString()).isEqualTo("online");
        assertThat(rows.getLast().at("/production/final_status").asString()).isEqualTo("online");
        assertThat(Files.readString(page)).contains(well.processId(), "another outcome");
        assertThat(replay.output()).doesNotContain(SECRET);

        var backend = fleet.backend();
        assertThat(backend.text(well, "env", "{\"name\":\"API_KEY\"}")).startsWith("masked-");
        assertThat(backend.text(well, "env", "{\"name\":\"LOG_LEVEL\"}")).isEqualTo("debug");
    }

    @Test
    @DisplayName("RPL-09: sends nothing twice and leaves nothing out when it is killed and resumed")
    void killed() throws Exception {
        topics("killed.", SOURCE_PARTITIONS);
        topics("stage.", 3);
        var sent = new ArrayList<String>();
        commands(
                (id, at, key, value) -> {
                    sent.add(id);
                    var topic = "killed.commands";
                    fleet.backend().send(new ProducerRecord<>(topic, null, at, key, value));
                });

        killAndResume(
                "cluster", "stage.", sent, "--from", fleet.bootstrap(), "--from-prefix", "killed.");
    }

    @Test
    @DisplayName("RPL-09: the same from a recording")
    void killedWithRecording(@TempDir Path folder) throws Exception {
        topics("staged.", 3);
        var file = folder.resolve("day.recording");
        var sent = new ArrayList<String>();
        var now = Instant.now();
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION, "1", "elsewhere/mcp.", 1, null, now, now);
        try (var writer = new RecordingWriter(file, header)) {
            commands(
                    (id, at, key, value) -> {
                        var text = new String(key, StandardCharsets.UTF_8);
                        writer.write(
                                new RecordedRecord(
                                        Topic.COMMANDS,
                                        0,
                                        sent.size(),
                                        at,
                                        text,
                                        Map.of(),
                                        Json.tree(value)));
                        sent.add(id);
                    });
            writer.finish();
        }

        killAndResume("file", "staged.", sent, "--from", file.toString());
    }

    private interface Commands {
        void add(String id, long at, byte[] key, byte[] value);
    }

    /** 600 restarts of eleven users, in twelve seconds. */
    private static void commands(Commands to) {
        var begun = Instant.now().minusSeconds(600).toEpochMilli();
        for (int i = 0; i < 600; i++) {
            var id = "c-" + i;
            var value =
                    "{\"id\":\"%s\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\"}}"
                            .formatted(id);
            to.add(id, begun + 20L * i, bytes("t/u" + i % 11), bytes(value));
        }
    }

    private void killAndResume(String name, String target, List<String> sent, String... from) {
        var commands = target + "commands";
        var arguments =
                with(from, "--to", fleet.bootstrap(), "--to-prefix", target, "--wait", "0s");

        var first =
                fleet.start(
                        "replay-killed-" + name, List.of(with(new String[] {"replay"}, arguments)));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> copies(commands, 3).size() > 50);
        first.kill();

        assertThat(copies(commands, 3)).hasSizeLessThan(600);
        var again = with(with(new String[] {"replay"}, arguments), "--speed", "max", "--resume");
        var resumed = fleet.start("replay-resumed-" + name, List.of(again));
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> !resumed.alive());

        assertThat(resumed.awaitExit()).as(resumed.output()).isEqualTo(1);
        assertThat(resumed.output()).contains("Going on with run", "sent 600 records");
        var copies = copies(commands, 3);
        assertThat(copies.stream().map(copy -> Json.tree(copy.value()).path("id").asString()))
                .hasSize(600)
                .doesNotHaveDuplicates();
        for (int user = 0; user < 11; user++) {
            var key = "t/u" + user;
            int number = user;
            assertThat(copies)
                    .filteredOn(copy -> new String(copy.key(), StandardCharsets.UTF_8).equals(key))
                    .extracting(copy -> header(copy, "perigee-replay-id"))
                    .containsExactlyElementsOf(
                            sent.stream()
                                    .filter(id -> Integer.parseInt(id.substring(2)) % 11 == number)
                                    .toList());
        }
        assertThat(copies.stream().map(copy -> header(copy, "perigee-replay-run")).distinct())
                .as("one run")
                .hasSize(1);
    }

    private void install(String prefix, Installation installation, String id) {
        var command =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("id", id)
                        .put("command_type", "configure");
        command.putObject("payload")
                .put("event", "mcp_installation_created")
                .set("config", installation.config());
        var backend = fleet.backend();
        backend.send(record(prefix, Topic.COMMANDS, installation.key(), Json.write(command)));
        var result =
                """
                {"event":"perigee.command.result","command_id":"%s","outcome":"completed","process_id":"%s",
                 "result":{"resulting_status":"online"},"error":null,"timestamp":"%s"}"""
                        .formatted(id, installation.processId(), Instant.now());
        backend.send(record(prefix, Topic.COMMAND_RESULTS, id, bytes(result)));
        var status =
                """
                {"event":"mcp.server.status_changed","process_id":"%s","installation_id":"%s","server_slug":"%s",
                 "team_id":"%s","user_id":"%s","worker_id":"w","seq":1,"timestamp":"%s","status":"online"}"""
                        .formatted(
                                installation.processId(),
                                installation.installationId(),
                                installation.serverSlug(),
                                installation.teamId(),
                                installation.userId(),
                                Instant.now());
        backend.send(record(prefix, Topic.STATUS, installation.processId(), bytes(status)));
    }

    private static ProducerRecord<byte[], byte[]> record(
            String prefix, Topic topic, String key, byte[] value) {
        return new ProducerRecord<>(prefix + topic.suffix(), bytes(key), value);
    }

    private Part start(String name, String... more) {
        var arguments = new ArrayList<>(List.of("replay", "--from", fleet.bootstrap()));
        arguments.addAll(List.of("--to", fleet.bootstrap()));
        arguments.addAll(List.of(more));
        return fleet.start(name, arguments);
    }

    /** A replay that has ended. */
    private Part run(String name, String... more) {
        var replay = start(name, more);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> !replay.alive());
        return replay;
    }

    private static String[] with(String[] arguments, String... more) {
        var all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** The documents of a comparison, without the summary. */
    private static List<JsonNode> rows(Part replay) {
        return replay.output()
                .lines()
                .filter(line -> line.startsWith("{"))
                .map(line -> Json.tree(bytes(line)))
                .filter(document -> document.has("original_id"))
                .toList();
    }

    /** Their records keep the times that they are written with. */
    private void topics(String prefix, int partitions) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", fleet.bootstrap()))) {
            admin.createTopics(
                            Arrays.stream(Topic.values())
                                    .map(
                                            topic ->
                                                    new NewTopic(
                                                            prefix + topic.suffix(),
                                                            Optional.of(partitions),
                                                            Optional.empty()))
                                    .toList())
                    .all()
                    .get();
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> copies(String topic, int partitions) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        var settings =
                Map.<String, Object>of(
                        "bootstrap.servers",
                        fleet.bootstrap(),
                        "isolation.level",
                        "read_committed",
                        "fetch.max.wait.ms",
                        KafkaConnection.SHORT_FETCH_MS);
        try (var consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var all =
                    IntStream.range(0, partitions)
                            .mapToObj(partition -> new TopicPartition(topic, partition))
                            .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            var ends = consumer.endOffsets(all);
            while (ends.entrySet().stream()
                    .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
