package dev.perigee.local.cli;

import static dev.perigee.local.cli.TestCluster.header;
import static dev.perigee.local.cli.TestCluster.partition;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two clusters; each test has topics of its own in both, by a prefix of its own. */
@DisplayName("perigee replay")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplayCommandTest {
    private static final int SOURCE_PARTITIONS = 4;
    private static final int TARGET_PARTITIONS = 3;
    private static final String SECRET = "s3cret-of-production";

    private TestCluster production;
    private TestCluster staging;
    private KafkaProducer<byte[], byte[]> producer;
    private final long begun = Instant.now().minusSeconds(3_600).toEpochMilli();
    private int sequence;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        production = TestCluster.start(data.resolve("production"));
        staging = TestCluster.start(data.resolve("staging"));
        producer = production.producer();
    }

    @AfterAll
    void stop() {
        producer.close();
        staging.close();
        production.close();
    }

    @Test
    @DisplayName("copies in the order of each key to another number of partitions, and only reads")
    void copies() throws Exception {
        topics("a.", TARGET_PARTITIONS);
        var ids = new ArrayList<String>();
        for (int i = 0; i < 200; i++) {
            var id = "c-" + i;
            ids.add(id);
            send("a.", key(i % 7), restart(id, i % 7));
        }
        send(
                "a.",
                "t1/*",
                "{\"id\":\"all\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\"}}");
        copyOfBroadcast("a.");
        send("a.", "t1/u1", "{no json");
        send("a.", "t1/u1", restart("c-7", 1)); // Its author sent it twice.
        producer.flush();
        var ends = production.ends("a.commands", SOURCE_PARTITIONS);

        var run = replay("a.", "--speed", "max", "--wait", "0s");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains("204 offsets of 4 partitions");
        assertThat(run.out()).contains("sent 202 records, refused 2", "malformed", "copy");
        var copies = read("a.commands", TARGET_PARTITIONS, 202);
        for (int key = 0; key < 7; key++) {
            int number = key;
            var wanted =
                    new ArrayList<>(ids.stream().filter(id -> number(id) % 7 == number).toList());
            if (number == 1) {
                wanted.add("c-7");
            }
            assertThat(copies)
                    .filteredOn(copy -> text(copy.key()).equals(key(number)))
                    .extracting(copy -> header(copy, "perigee-replay-id"))
                    .containsExactlyElementsOf(wanted);
        }
        assertThat(copies)
                .allSatisfy(
                        copy -> {
                            assertThat(copy.partition())
                                    .isEqualTo(partition(copy.key(), TARGET_PARTITIONS));
                            assertThat(header(copy, "perigee-replay-of"))
                                    .matches(production.id() + "/a\\.commands-\\d@\\d+");
                            assertThat(header(copy, "perigee-replay-run")).isNotEmpty();
                            assertThat(copy.headers().toArray()).hasSize(4);
                        });
        assertThat(
                        new HashSet<>(
                                copies.stream()
                                        .map(copy -> json(copy).path("id").asString())
                                        .toList()))
                .as("the same id twice is the same id twice")
                .hasSize(201);
        assertThat(production.ends("a.commands", SOURCE_PARTITIONS)).isEqualTo(ends);
        try (var admin = production.admin()) {
            assertThat(admin.listGroups().all().get()).isEmpty();
            assertThat(admin.listTopics().names().get()).doesNotContain("a.replays");
        }
    }

    @Test
    @DisplayName("moves expiry along and keeps distances in time, scaled")
    void timing() throws Exception {
        topics("b.", TARGET_PARTITIONS);
        var first = Instant.ofEpochMilli(begun);
        for (int i = 0; i < 3; i++) {
            var at = first.plusSeconds(10L * i);
            var command =
                    restart("c-" + i, i)
                            .replace(
                                    "\"payload\"",
                                    "\"issued_at\":\"%s\",\"expires_at\":\"%s\",\"payload\""
                                            .formatted(at.minusSeconds(1), at.plusSeconds(300)));
            sendAt("b.", key(i), command, at.toEpochMilli());
        }
        var before = Instant.now();

        var run = replay("b.", "--speed", "20", "--wait", "0s");

        var took = Duration.between(before, Instant.now());
        assertThat(run.out()).as(run.err()).contains("sent 3 records");
        assertThat(took).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        var copies = new ArrayList<>(read("b.commands", TARGET_PARTITIONS, 3));
        copies.sort(
                (a, b) -> header(a, "perigee-replay-id").compareTo(header(b, "perigee-replay-id")));
        var expiries =
                copies.stream()
                        .map(copy -> Instant.parse(json(copy).path("expires_at").asString()))
                        .toList();
        // As long after its sending as the original's after its own: a later one at its turn.
        var begin = before.truncatedTo(ChronoUnit.MILLIS).plusSeconds(300);
        for (int i = 0; i < 3; i++) {
            assertThat(expiries.get(i)).isAfterOrEqualTo(begin.plusMillis(450L * i));
        }
    }

    @Test
    @DisplayName("tells by a dry run what it would send, and sends nothing")
    void dryRun(@TempDir Path folder) throws Exception {
        topics("c.", TARGET_PARTITIONS);
        send("c.", "t1/u1", configure("c-1"));
        send("c.", "t1/u2", restart("c-2", 2).replace("u1", "u2").replace("t0", "t1"));
        send("c.", "t2/u1", restart("c-3", 1));
        send("c.", "t1/u1", "[]");
        producer.flush();
        var rules = folder.resolve("rules.yaml");
        Files.writeString(rules, "secrets: {env: {REGION: keep}}\nhosts: {a.test: b.test}\n");

        var run =
                replay(
                        "c.",
                        "--dry-run",
                        "--team",
                        "t1",
                        "--rewrite",
                        rules.toString(),
                        "--speed",
                        "0.001");
        var json = replay("c.", "--dry-run", "--team", "t1", "--output", "json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "configure mcp_installation_created 1",
                        "env API_KEY f-server masked 1",
                        "env REGION f-server kept 1",
                        "a.test -> b.test 1")
                .anyMatch(line -> line.startsWith("invalid 1 "));
        assertThat(run.out()).contains("1 are not selected").doesNotContain(SECRET);
        var document = Json.tree(json.out().getBytes(StandardCharsets.UTF_8));
        assertThat(document.at("/refused/invalid").asInt()).isEqualTo(1);
        assertThat(document.path("not_wanted").asInt()).isEqualTo(1);
        assertThat(staging.ends("c.commands", TARGET_PARTITIONS)).allMatch(end -> end == 0);
        try (var admin = staging.admin()) {
            assertThat(admin.listTopics().names().get()).doesNotContain("c.replays");
        }
    }

    @Test
    @DisplayName("refuses a target that is the source, or lacks the topics")
    void refusals() throws Exception {
        topics("d.", TARGET_PARTITIONS);
        var from = production.bootstrap();

        var same =
                CliRun.of(
                        "replay",
                        "--from",
                        from,
                        "--to",
                        from,
                        "--from-prefix",
                        "d.",
                        "--to-prefix",
                        "d.");
        assertThat(same.exitCode()).isEqualTo(64);
        assertThat(same.err()).contains("--to is --from");

        var missing =
                CliRun.of(
                        "replay",
                        "--from",
                        from,
                        "--to",
                        from,
                        "--from-prefix",
                        "d.",
                        "--to-prefix",
                        "dd.");
        assertThat(missing.exitCode()).isEqualTo(69);
        assertThat(missing.err()).contains("lacks dd.commands", "--to-prefix", "perigee topics");

        var heartbeat =
                """
                {"event":"perigee.worker.heartbeat","worker_id":"w-1","incarnation":"one","status":"running",
                 "version":"1","uptime_seconds":1,"cpu_load":0,"memory_used_bytes":1,"memory_max_bytes":1,
                 "processes_by_team":{},"counts_by_state":{},"dormant_count":0,"partitions":[],
                 "timestamp":"2026-11-20T10:00:00Z"}""";
        produce(production, "d.heartbeats", "w-1", heartbeat);
        produce(staging, "d.heartbeats", "w-1", heartbeat);
        var mirror = replay("d.");
        assertThat(mirror.exitCode()).as(mirror.err()).isEqualTo(64);
        assertThat(mirror.err()).contains("same live worker w-1");
    }

    @Test
    @DisplayName("compares what became of each command, differences first, and writes a page")
    void compares(@TempDir Path folder) throws Exception {
        topics("e.", 1);
        for (int i = 0; i < 3; i++) {
            send("e.", "t1/u1", configure("c-" + i).replace("\"i\"", "\"i" + i + "\""));
            recorded("e.", "c-" + i, "completed", "online");
        }
        producer.flush();
        var page = folder.resolve("replay.html");
        var answered = new ArrayList<String>();
        try (var _ =
                new ScriptedGateway(
                        staging.bootstrap(),
                        new TopicNames("e."),
                        (_, value) -> {
                            var id = Json.tree(value).path("id").asString();
                            answered.add(id);
                            return answered.size() == 3
                                    ? List.of(result(id, "failed", null))
                                    : List.of(
                                            result(id, "acknowledged", null),
                                            result(id, "completed", "online"));
                        })) {
            var run = replay("e.", "--speed", "max", "--report", page.toString(), "--wait", "30s");

            assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
            assertThat(run.out().lines().toList().get(1))
                    .startsWith("outcome ")
                    .contains(
                            "f-server-acme-alice-i2",
                            "completed, online",
                            "failed internal",
                            "c-2");
            assertThat(run.out()).contains("1 another outcome, 2 the same");
            assertThat(Files.readString(page))
                    .contains("f-server-acme-alice-i2", "another outcome");
        }

        var again = replay("e.", "--resume=" + runOf("e."), "--wait", "0s", "--output", "json");

        assertThat(again.out().lines()).hasSize(4);
        var summary =
                Json.tree(again.out().lines().toList().getLast().getBytes(StandardCharsets.UTF_8));
        assertThat(summary.at("/comparison/outcome").asInt()).isEqualTo(1);
        assertThat(read("e.commands", 1, 3)).hasSize(3);

        var unknown = replay("e.", "--resume");
        assertThat(unknown.exitCode()).isEqualTo(64);
        assertThat(unknown.err()).contains("No run from this source is unfinished", "(over)");
    }

    @Test
    @DisplayName("copies requests that only read, in their order with the commands")
    void requests() throws Exception {
        topics("f.", 1);
        var tools =
                """
                {"event":"mcp.tools.discovered","process_id":"p","installation_id":"i","server_slug":"f-server",
                 "team_id":"t1","user_id":"u1","worker_id":"w","seq":1,"timestamp":"2026-11-20T10:00:00Z",
                 "tool_count":2,"total_tokens":1,"discovered_at":"2026-11-20T10:00:00Z","tools":[
                 {"tool_path":"f-server:look","tool_name":"look","input_schema":{},"token_count":1,"read_only_hint":true},
                 {"tool_path":"f-server:do","tool_name":"do","input_schema":{},"token_count":1}]}"""
                        .replace("\n", " ");
        produce(production, "f.tools", "p", tools);
        send("f.", "t1/u1", configure("c-1"));
        for (var tool : List.of("look", "do")) {
            var call =
                    "{\"request_id\":\"r-%s\",\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"tools/call\",\"tool_path\":\"f-server:%s\",\"arguments\":{}}"
                            .formatted(tool, tool);
            sendTo("f.tool-requests", "t1/u1", call, begun + sequence++);
        }
        producer.flush();

        var run = replay("f.", "--include-requests", "read-only", "--speed", "max", "--wait", "0s");

        assertThat(run.out()).as(run.err()).contains("sent 2 records, refused 1", "not_read_only");
        assertThat(read("f.tool-requests", 1, 1))
                .extracting(copy -> header(copy, "perigee-replay-id"))
                .containsExactly("r-look");
        assertThat(read("f.commands", 1, 1)).hasSize(1);
    }

    private CliRun replay(String prefix, String... more) {
        var arguments = new ArrayList<>(List.of("replay", "--from", production.bootstrap()));
        arguments.addAll(List.of("--to", staging.bootstrap()));
        arguments.addAll(List.of("--from-prefix", prefix, "--to-prefix", prefix));
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }

    /** The source's topics keep their author's times, so that a test can choose them. */
    private void topics(String prefix, int targetPartitions) throws Exception {
        try (var admin = production.admin()) {
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

    private static String key(int number) {
        return "t" + number % 3 + "/u" + number;
    }

    private static int number(String id) {
        return Integer.parseInt(id.substring(2));
    }

    private static String restart(String id, int number) {
        return """
        {"id":"%s","command_type":"restart","payload":{"installation_id":"i%d"}}"""
                .formatted(id, number);
    }

    private static String configure(String id) {
        return """
        {"id":"%s","command_type":"configure","payload":{"event":"mcp_installation_created","config":{
        "installation_id":"i","server_slug":"f-server","team_id":"t1","team_slug":"acme","user_id":"u1",
        "user_slug":"alice","transport_type":"http","url":"https://a.test/mcp",
        "env":{"API_KEY":"%s","REGION":"eu"}}}}"""
                .formatted(id, SECRET);
    }

    private void send(String prefix, String key, String value) throws Exception {
        sendAt(prefix, key, value, begun + sequence++);
    }

    private void sendAt(String prefix, String key, String value, long at) throws Exception {
        sendTo(prefix + "commands", key, value, at);
    }

    private void sendTo(String topic, String key, String value, long at) throws Exception {
        producer.send(new ProducerRecord<>(topic, null, at, bytes(key), bytes(value))).get();
    }

    private void copyOfBroadcast(String prefix) throws Exception {
        var value =
                bytes(
                        "{\"id\":\"all\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\"}}");
        var copy =
                new ProducerRecord<>(
                        prefix + "commands", 0, begun + sequence++, bytes("t1/*"), value);
        var original = prefix + "commands-" + partition(bytes("t1/*"), SOURCE_PARTITIONS) + "@0";
        copy.headers().add(Headers.BROADCAST_OF, bytes(original));
        copy.headers().add(Headers.BROADCAST_AT, bytes("1"));
        producer.send(copy).get();
    }

    private void recorded(String prefix, String id, String outcome, String status)
            throws Exception {
        var answer = result(id, outcome, status);
        sendTo(
                prefix + "command-results",
                id,
                new String(Json.write(answer.value()), StandardCharsets.UTF_8),
                begun + sequence++);
    }

    private static Answer result(String id, String outcome, @Nullable String status) {
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

    private static void produce(TestCluster cluster, String topic, String key, String value)
            throws Exception {
        try (var one = cluster.producer()) {
            one.send(new ProducerRecord<>(topic, bytes(key), bytes(value))).get();
        }
    }

    private String runOf(String prefix) {
        return header(read(prefix + "commands", 1, 1).getFirst(), "perigee-replay-run");
    }

    /** The copies in a topic, which are at least so many. */
    private List<ConsumerRecord<byte[], byte[]>> read(String topic, int partitions, int atLeast) {
        var copies = staging.read(topic, partitions);
        assertThat(copies).hasSizeGreaterThanOrEqualTo(atLeast);
        return copies;
    }

    private static JsonNode json(ConsumerRecord<byte[], byte[]> record) {
        return Json.tree(record.value());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
