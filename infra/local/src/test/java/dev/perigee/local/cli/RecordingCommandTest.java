package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("perigee recording")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RecordingCommandTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final List<String> SECRETS =
            List.of(
                    "ghp_0123456789abcdefABCDEF",
                    "hunter",
                    "s3cret of-header",
                    "pa55word-in-result");

    private EmbeddedBroker broker;
    private KafkaProducer<String, String> producer;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data.resolve("broker"));
        producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrap()),
                        new StringSerializer(),
                        new StringSerializer());
    }

    @AfterAll
    void stop() {
        producer.close();
        broker.close();
    }

    private void topics(String prefix) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.createTopics(
                            Arrays.stream(Topic.values())
                                    .map(
                                            topic ->
                                                    new NewTopic(
                                                            prefix + topic.suffix(),
                                                            Optional.of(3),
                                                            Optional.empty()))
                                    .toList())
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private void send(String topic, int minutes, String key, @Nullable String value)
            throws Exception {
        long at = NOON.plusSeconds(60L * minutes).toEpochMilli();
        producer.send(new ProducerRecord<>(topic, null, at, key, value)).get(30, TimeUnit.SECONDS);
    }

    private static String configure(String id, String installation, String token) {
        return """
        {"id":"%s","command_type":"configure","payload":{"event":"mcp_installation_created",
         "installation_id":"%s","config":{"installation_id":"%s","server_slug":"s","team_id":"t1","user_id":"u1",
         "env":{"GITHUB_TOKEN":"%s","DB_PASSWORD":"hunter"},"headers":{"X-Api":"s3cret of-header"}}}}"""
                .formatted(id, installation, installation, token)
                .replace("\n", "");
    }

    private void day() throws Exception {
        topics("a.");
        send("a.commands", -30, "t1/u1", configure("old", "i1", "older-token-9"));
        send("a.commands", -20, "t1/u1", configure("latest", "i1", SECRETS.getFirst()));
        send("a.commands", -20, "t1/u1", configure("gone", "i2", "other-token-9"));
        send(
                "a.commands",
                -10,
                "t1/u1",
                "{\"id\":\"del\",\"command_type\":\"configure\",\"payload\":{\"event\":"
                        + "\"mcp_installation_deleted\",\"installation_id\":\"i2\",\"user_id\":\"u1\"}}");
        send("a.tools", -20, "p1", "{\"server_slug\":\"s\",\"tools\":[]}");
        send("a.tool-results", -5, "t1/u1", "{\"request_id\":\"before\"}");
        send(
                "a.tool-requests",
                1,
                "t1/u1",
                "{\"request_id\":\"r1\",\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"tools/call\","
                        + "\"arguments\":{\"password\":\"pa55word-in-result\"}}");
        send(
                "a.tool-results",
                2,
                "t1/u1",
                "{\"request_id\":\"r1\",\"result\":{\"text\":\"ghp_0123456789abcdefABCDEF, hunter,"
                        + " s3cret of-header and older-token-9\",\"pa55word-in-result\":1}}");
        send("a.status", 2, "p1", null);
        send("a.commands", 3, "t1/u1", "no json but hunter");
        send("a.commands", 61, "t1/u1", configure("late", "i3", "l4te-token-90"));
    }

    @Test
    @DisplayName(
            "RPL-01: keeps a span and what was true at its begin, in one file without a secret")
    void make(@TempDir Path folder) throws Exception {
        day();
        var file = folder.resolve("day.recording");

        var run =
                make(
                        "a.",
                        file,
                        "--since",
                        NOON.toString(),
                        "--until",
                        NOON.plusSeconds(3600).toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("1 records left out");
        assertThat(run.out() + run.err()).doesNotContain(SECRETS);
        var text = unzipped(file);
        assertThat(text).doesNotContain(SECRETS).doesNotContain("older-token-9", "no json");
        var lines =
                text.lines().map(line -> Json.tree(line.getBytes(StandardCharsets.UTF_8))).toList();
        assertThat(lines.getFirst().path("since").asString()).isEqualTo(NOON.toString());
        assertThat(ids(lines, "commands", "id")).containsExactly("latest");
        assertThat(ids(lines, "tool-requests", "request_id")).containsExactly("r1");
        assertThat(ids(lines, "tool-results", "request_id")).containsExactly("r1");
        assertThat(ids(lines, "tools", "server_slug")).containsExactly("s");
        assertThat(lines)
                .filteredOn(line -> line.path("topic").asString("").equals("status"))
                .singleElement()
                .matches(line -> line.path("value").isNull());

        var shown = CliRun.of("recording", "show", file.toString());
        assertThat(shown.exitCode()).as(shown.err()).isZero();
        assertThat(shown.out())
                .contains(
                        "a., 3 partitions",
                        "2026-11-20T12:00:00Z until",
                        "servers   1",
                        "is whole");
        assertThat(shown.err()).isEmpty();

        var again = make("a.", file);
        assertThat(again.exitCode()).isEqualTo(64);
        assertThat(again.err()).contains("exists: remove it");
    }

    @Test
    @DisplayName("refuses what it cannot do with what to do next")
    void refuses(@TempDir Path folder) throws Exception {
        var file = folder.resolve("day.recording");
        Files.writeString(file, "something else");
        var shown = CliRun.of("recording", "show", file.toString());
        assertThat(shown.exitCode()).isEqualTo(64);
        assertThat(shown.err()).contains("name a file that 'perigee recording make' wrote");

        var missing = make("none.", folder.resolve("b"));
        assertThat(missing.exitCode()).isEqualTo(69);
        assertThat(missing.err()).contains("lacks none.commands", "--from-prefix");

        var empty = make("a.", folder.resolve("c"), "--since", "1h", "--until", "2h");
        assertThat(empty.exitCode()).isEqualTo(64);
        assertThat(empty.err()).contains("--since is not before --until");
    }

    private CliRun make(String prefix, Path file, String... more) {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "recording",
                                "make",
                                file.toString(),
                                "--from",
                                broker.bootstrap()));
        arguments.addAll(List.of("--from-prefix", prefix));
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }

    private static List<String> ids(List<JsonNode> lines, String topic, String field) {
        return lines.stream()
                .filter(line -> line.path("topic").asString("").equals(topic))
                .map(line -> line.path("value").path(field).asString(""))
                .toList();
    }

    private static String unzipped(Path file) throws IOException {
        try (var zip = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(zip.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
