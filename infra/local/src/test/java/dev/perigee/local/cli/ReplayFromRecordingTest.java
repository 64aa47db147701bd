package dev.perigee.local.cli;

import static dev.perigee.local.cli.TestCluster.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The target is a broker whose topics have one partition; each test has a prefix of its own. */
@DisplayName("perigee replay, from a recording")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplayFromRecordingTest {
    private static final int PARTITIONS = 3;
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    private TestCluster staging;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        staging = TestCluster.start(data.resolve("staging"));
    }

    @AfterAll
    void stop() {
        staging.close();
    }

    private static Path dayWithPreamble(Path folder) {
        var file = folder.resolve("day.recording");
        try (var day = new Day(file, "production/mcp.")) {
            day.command(Duration.ofDays(-30), "t1/u1", configure("c-1"));
            day.request(Duration.ofSeconds(1), "t1/u1", call("r-1", "u1"));
            day.request(Duration.ofSeconds(2), "t1/u2", call("r-2", "u2"));
        }
        return file;
    }

    /** Answers commands later than any request would come that does not wait. */
    private ScriptedGateway lateForCommands(String prefix, List<String> seen) {
        var answering = new CompletableFuture<ScriptedGateway>();
        var gateway =
                new ScriptedGateway(
                        staging.bootstrap(),
                        new TopicNames(prefix),
                        (topic, value) -> {
                            seen.add(idOf(topic, value));
                            if (topic == Topic.COMMANDS) {
                                var late = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
                                late.execute(
                                        () -> {
                                            seen.add("answer");
                                            var result = result(idOf(topic, value));
                                            answering.join().publish(result);
                                        });
                                return List.of();
                            }
                            return List.of(success(idOf(topic, value)));
                        });
        answering.complete(gateway);
        return gateway;
    }

    @Test
    @DisplayName("RPL-09: an interrupted run, too, waits for what was before the span")
    void resumedPreamble(@TempDir Path folder) throws Exception {
        topics("g.");
        var file = dayWithPreamble(folder);
        var first = Thread.ofPlatform().start(() -> replay("g.", file, "--speed", "1"));
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> read("g.commands").size() == 1);
        first.interrupt();
        assertThat(first.join(Duration.ofSeconds(30))).isTrue();

        var patience = Duration.ofSeconds(3);
        long resumed = System.currentTimeMillis();
        try (var _ =
                new ScriptedGateway(
                        staging.bootstrap(),
                        new TopicNames("g."),
                        (topic, value) ->
                                topic == Topic.COMMANDS
                                        ? List.of()
                                        : List.of(success(idOf(topic, value))))) {
            replay("g.", file, "--resume", "--wait", patience.toSeconds() + "s");
        }
        assertThat(read("g.tool-requests"))
                .hasSize(2)
                .allMatch(copy -> copy.timestamp() - resumed >= patience.toMillis());
        assertThat(read("g.commands")).hasSize(1);
    }

    @Test
    @DisplayName("sends what was before the span at once, and the span when it was answered")
    void preamble(@TempDir Path folder) throws Exception {
        topics("a.");
        var file = dayWithPreamble(folder);
        var seen = Collections.synchronizedList(new ArrayList<String>());
        try (var _ = lateForCommands("a.", seen)) {
            var run = replay("a.", file, "--speed", "1", "--wait", "30s");

            assertThat(run.out()).as(run.err()).contains("sent 3 records, refused 0");
            assertThat(run.err()).contains("3 offsets", "masks instead of env API_KEY of f-server");
        }
        assertThat(seen).hasSize(4).element(1).isEqualTo("answer");
        var copies = read("a.tool-requests");
        assertThat(copies)
                .extracting(copy -> header(copy, "perigee-replay-id"))
                .containsExactly("r-1", "r-2");
        assertThat(copies)
                .extracting(copy -> header(copy, "perigee-replay-of"))
                .allMatch(of -> of.matches("production/mcp\\.tool-requests-\\d@\\d+"));
        // The first may itself be late, by which the last would not be.
        assertThat(copies.getLast().timestamp() - read("a.commands").getFirst().timestamp())
                .as("the second until the answer, and their distance")
                .isGreaterThanOrEqualTo(1_900);
    }

    @Test
    @DisplayName("RPL-07: as fast as it goes, a user has at most 16 requests unanswered")
    void holdsBack(@TempDir Path folder) throws Exception {
        topics("b.");
        var file = folder.resolve("day.recording");
        try (var day = new Day(file, "production/mcp.")) {
            for (int i = 0; i < 100; i++) {
                day.request(Duration.ofSeconds(i), "t1/u1", call("r-" + i, "u1"));
            }
        }
        var unanswered = new ArrayList<String>();
        var most = new ArrayList<Integer>();
        try (var _ =
                new ScriptedGateway(
                        staging.bootstrap(),
                        new TopicNames("b."),
                        (topic, value) -> {
                            unanswered.add(idOf(topic, value));
                            most.add(unanswered.size());
                            int left = 100 - most.size();
                            if (unanswered.size() < 16 && left > 0) {
                                return List.of();
                            }
                            var answers = unanswered.stream().map(id -> success(id)).toList();
                            unanswered.clear();
                            return answers;
                        })) {
            var run = replay("b.", file, "--speed", "max", "--wait", "30s");

            assertThat(run.out()).as(run.err()).contains("sent 100 records");
        }
        assertThat(most).hasSize(100).allMatch(count -> count <= 16);
        assertThat(read("b.tool-requests"))
                .extracting(copy -> header(copy, "perigee-replay-id"))
                .as("the order")
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj(i -> "r-" + i).toList());
    }

    @Test
    @DisplayName("compares with what was recorded, and a run is gone on with by the same file only")
    void compares(@TempDir Path folder) throws Exception {
        topics("c.");
        var file = folder.resolve("day.recording");
        try (var day = new Day(file, "production/mcp.")) {
            day.command(Duration.ofSeconds(1), "t1/u1", configure("c-1"));
            day.add(Topic.COMMAND_RESULTS, Duration.ofSeconds(2), "c-1", result("c-1").value());
            day.command(Duration.ofSeconds(3), "t1/u2", "{\"id\":\"bad\"}");
        }
        try (var _ =
                new ScriptedGateway(
                        staging.bootstrap(),
                        new TopicNames("c."),
                        (topic, value) -> List.of(result(idOf(topic, value))))) {
            var run = replay("c.", file, "--speed", "max", "--wait", "30s");

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("sent 1 records, refused 1", "1 the same");
        }
        var over = replay("c.", file, "--resume");
        assertThat(over.exitCode()).isEqualTo(64);
        assertThat(over.err()).contains("No run from this source is unfinished", "(over)");
        var named = header(read("c.commands").getFirst(), "perigee-replay-run");
        var again = replay("c.", file, "--resume=" + named, "--wait", "0s");
        assertThat(again.out()).as(again.err()).contains("1 the same");
        var other = folder.resolve("other.recording");
        try (var day = new Day(other, "production/mcp.")) {
            day.command(Duration.ofSeconds(1), "t1/u1", configure("c-1"));
        }
        var foreign = replay("c.", other, "--resume=" + named);
        assertThat(foreign.exitCode()).isEqualTo(64);
        assertThat(foreign.err()).contains("There is no run");
        assertThat(read("c.commands")).hasSize(1);
    }

    @Test
    @DisplayName("sends nothing of a file that is cut off, or to the fleet that was recorded")
    void refusals(@TempDir Path folder) throws Exception {
        topics("d.");
        var file = folder.resolve("day.recording");
        try (var day = new Day(file, staging.id() + "/d.")) {
            day.command(Duration.ofSeconds(1), "t1/u1", configure("c-1"));
        }

        var same = replay("d.", file);
        assertThat(same.exitCode()).isEqualTo(64);
        assertThat(same.err()).contains("--to is the fleet", "--to-prefix");

        var cut = folder.resolve("cut.recording");
        var bytes = Files.readAllBytes(file);
        Files.write(cut, Arrays.copyOf(bytes, bytes.length - 12));
        var refused = replay("d.", cut);
        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err()).contains("is cut off", "copy it again");
        assertThat(read("d.commands")).isEmpty();
    }

    @Test
    @DisplayName("RPL-08: says what it does not know of a recording of another version")
    void otherVersion(@TempDir Path folder) throws Exception {
        topics("f.");
        var file = folder.resolve("day.recording");
        var lines =
                List.of(
                        """
                        {"format":"perigee-recording","version":7,"source":"production/mcp.","partitions":1}""",
                        """
                        {"topic":"commands","partition":0,"offset":0,"at":1,"key":"t1/u1","value":%s}"""
                                .formatted(configure("c-1").replace("\n", " ")),
                        """
                        {"topic":"of-tomorrow","partition":0,"offset":0,"at":1,"key":"k","value":{}}""");
        var digest = MessageDigest.getInstance("SHA-256");
        try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
            for (var line : lines) {
                digest.update(bytes(line + "\n"));
                out.write(bytes(line + "\n"));
            }
            var sum = HexFormat.of().formatHex(digest.digest());
            out.write(bytes("{\"end\":{\"records\":2,\"sha256\":\"" + sum + "\"}}\n"));
        }

        var run = replay("f.", file, "--dry-run");

        assertThat(run.out()).as(run.err()).contains("Would send 1 records");
        assertThat(run.err()).contains("has version 7", "Skipped 1 x topic of-tomorrow");
    }

    @Test
    @DisplayName("takes a part of the file by time, partition and kind")
    void selects(@TempDir Path folder) throws Exception {
        topics("e.");
        var file = folder.resolve("day.recording");
        try (var day = new Day(file, "production/mcp.")) {
            for (int i = 0; i < 10; i++) {
                day.command(Duration.ofMinutes(i), "t1/u1", configure("c-" + i));
                day.request(Duration.ofMinutes(i), "t1/u1", call("r-" + i, "u1"));
            }
        }
        var hour =
                replay(
                        "e.",
                        file,
                        "--dry-run",
                        "--since",
                        NOON.plusSeconds(180).toString(),
                        "--until",
                        NOON.plusSeconds(300).toString());
        assertThat(hour.out()).as(hour.err()).contains("Would send 2 records");
        var other = (partition("t1/u1") + 1) % PARTITIONS;
        var none = replay("e.", file, "--dry-run", "--partitions", Integer.toString(other));
        assertThat(none.out()).as(none.err()).contains("Would send 0 records");
        var missing = replay("e.", file, "--dry-run", "--partitions", "7");
        assertThat(missing.exitCode()).isEqualTo(64);
        assertThat(missing.err()).contains("partitions 0 to 2");
    }

    private CliRun replay(String prefix, Path file, String... more) {
        var arguments = new ArrayList<>(List.of("replay", "--from", file.toString()));
        arguments.addAll(List.of("--to", staging.bootstrap(), "--to-prefix", prefix));
        if (!prefix.equals("e.")) {
            arguments.addAll(List.of("--include-requests", "all"));
        }
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }

    /** Writes a recording of some commands and requests. */
    private static final class Day implements AutoCloseable {
        private final RecordingWriter writer;
        private long offset;

        Day(Path file, String source) {
            var end = NOON.plusSeconds(3_600);
            writer =
                    new RecordingWriter(
                            file,
                            new RecordingHeader(
                                    RecordingHeader.VERSION,
                                    "1",
                                    source,
                                    PARTITIONS,
                                    NOON,
                                    end,
                                    end));
        }

        void command(Duration at, String key, String value) {
            add(Topic.COMMANDS, at, key, Json.tree(bytes(value)));
        }

        void request(Duration at, String key, String value) {
            add(Topic.TOOL_REQUESTS, at, key, Json.tree(bytes(value)));
        }

        void add(Topic topic, Duration at, String key, Object value) {
            writer.write(
                    new RecordedRecord(
                            topic,
                            partition(key),
                            offset++,
                            NOON.plus(at).toEpochMilli(),
                            key,
                            Map.of(),
                            Json.tree(Json.write(value))));
        }

        @Override
        public void close() {
            writer.finish();
            writer.close();
        }
    }

    private void topics(String prefix) throws Exception {
        try (var admin = staging.admin()) {
            admin.createTopics(
                            Arrays.stream(Topic.values())
                                    .map(
                                            topic ->
                                                    new NewTopic(
                                                            prefix + topic.suffix(),
                                                            Optional.of(1),
                                                            Optional.empty()))
                                    .toList())
                    .all()
                    .get(30, TimeUnit.SECONDS);
            // They are created, and the broker may hear of it a moment later.
            var names = Arrays.stream(Topic.values()).map(topic -> prefix + topic.suffix());
            var wanted = names.toList();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> admin.listTopics().names().get().containsAll(wanted));
        }
    }

    private static String configure(String id) {
        return """
        {"id":"%s","command_type":"configure","payload":{"event":"mcp_installation_created","config":{
        "installation_id":"i","server_slug":"f-server","team_id":"t1","team_slug":"acme","user_id":"u1",
        "user_slug":"alice","transport_type":"http","url":"https://a.test/mcp",
        "env":{"API_KEY":"masked-0123456789ab"}}}}"""
                .formatted(id);
    }

    private static String call(String id, String user) {
        return """
        {"request_id":"%s","team_id":"t1","user_id":"%s","method":"tools/call","tool_path":"f-server:do",
         "arguments":{}}"""
                .formatted(id, user);
    }

    private static String idOf(Topic topic, byte[] value) {
        return Json.tree(value).path(topic == Topic.COMMANDS ? "id" : "request_id").asString("");
    }

    private static Answer result(String id) {
        var text =
                """
                {"event":"perigee.command.result","command_id":"%s","outcome":"completed",
                 "timestamp":"2026-11-20T10:00:00Z","result":{"resulting_status":"online"}}"""
                        .formatted(id);
        return new Answer(Topic.COMMAND_RESULTS, id, Json.tree(bytes(text)));
    }

    private static Answer success(String id) {
        var text =
                """
                {"event":"perigee.tool.result","request_id":"%s","outcome":"success","attempts":1,"duration_ms":1,
                 "timestamp":"2026-11-20T10:00:00Z","result":{}}"""
                        .formatted(id);
        return new Answer(Topic.TOOL_RESULTS, id, Json.tree(bytes(text)));
    }

    /** All copies in the only partition. */
    private List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return staging.read(topic, 1);
    }

    private static int partition(String key) {
        return TestCluster.partition(bytes(key), PARTITIONS);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
