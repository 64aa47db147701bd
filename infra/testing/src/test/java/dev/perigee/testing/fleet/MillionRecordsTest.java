package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As programs of their own, which end when their heap is full. */
@DisplayName("RPL-07: 1,000,000 commands and requests")
@Tag("long")
final class MillionRecordsTest {
    private static final int USERS = 1_000;
    private static final int RECORDS = 1_000_000;
    private static final int PARTITIONS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    @Test
    @DisplayName("are replayed with a heap of 256 MB, recorded and compared with one of 96 MB")
    void bounded(@TempDir Path folder) throws Exception {
        var day = folder.resolve("day.recording");
        write(day);
        try (var fleet =
                FleetUnderTest.named("million").heap("replay", 256).heap("recording", 96).start()) {
            topics(fleet);

            var replayed =
                    run(
                            fleet,
                            1,
                            "replay",
                            "--from",
                            day.toString(),
                            "--to",
                            fleet.bootstrap(),
                            "--to-prefix",
                            "big.",
                            "--include-requests",
                            "all",
                            "--speed",
                            "max",
                            "--wait",
                            "0s");
            assertThat(replayed).contains("sent " + RECORDS + " records, refused 0");
            var staged = folder.resolve("staged.recording");
            var made =
                    run(
                            fleet,
                            0,
                            "recording",
                            "make",
                            staged.toString(),
                            "--from",
                            fleet.bootstrap(),
                            "--from-prefix",
                            "big.",
                            "--output",
                            "json");
            assertThat(made).contains("\"tool-requests\":" + (RECORDS - USERS));
            var compared = run(fleet, 1, "recording", "compare", day.toString(), staged.toString());
            assertThat(compared)
                    .contains(RECORDS + " calls and commands compared, 0 the same")
                    .contains(RECORDS + " calls and commands have no outcome any more");
        }
    }

    private static String run(FleetUnderTest fleet, int exitCode, String... arguments) {
        long begun = System.nanoTime();
        var part =
                fleet.start(
                        arguments[0] + "-" + arguments[1].replace('/', '_'), List.of(arguments));
        Awaitility.await().atMost(PATIENCE).until(() -> !part.alive());
        assertThat(part.awaitExit()).as(part.output()).isEqualTo(exitCode);
        var took = Duration.ofNanos(System.nanoTime() - begun);
        System.out.println(arguments[0] + " " + arguments[1] + ": " + took.toSeconds() + " s");
        return part.output();
    }

    private static void topics(FleetUnderTest fleet) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", fleet.bootstrap()))) {
            admin.createTopics(
                            Arrays.stream(Topic.values())
                                    .map(
                                            topic ->
                                                    new NewTopic(
                                                            "big." + topic.suffix(),
                                                            Optional.of(PARTITIONS),
                                                            Optional.empty()))
                                    .toList())
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    /** A result behind each of them, so that the file has twice as many. */
    private static void write(Path file) {
        var begin = Instant.parse("2026-11-20T12:00:00Z");
        var end = begin.plusSeconds(86_400);
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION,
                        "1",
                        "elsewhere/mcp.",
                        PARTITIONS,
                        begin,
                        end,
                        end);
        try (var writer = new RecordingWriter(file, header)) {
            for (int i = 0; i < RECORDS; i++) {
                int user = i % USERS;
                var key = "t" + user % 10 + "/u" + user;
                var partition =
                        Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8)))
                                % PARTITIONS;
                boolean isCommand = i < USERS;
                long at = begin.toEpochMilli() + i;
                for (var value : isCommand ? command(i, user) : call(i, user)) {
                    var isResult = value.contains("perigee.");
                    var topic =
                            isCommand
                                    ? isResult ? Topic.COMMAND_RESULTS : Topic.COMMANDS
                                    : isResult ? Topic.TOOL_RESULTS : Topic.TOOL_REQUESTS;
                    var tree = Json.tree(value.getBytes(StandardCharsets.UTF_8));
                    writer.write(new RecordedRecord(topic, partition, i, at, key, Map.of(), tree));
                }
            }
            writer.finish();
        }
    }

    private static List<String> command(int number, int user) {
        return List.of(
                """
                        {"id":"c-%d","command_type":"configure","payload":{"event":"mcp_installation_created","config":{
                        "installation_id":"i-%d","server_slug":"s","team_id":"t%d","team_slug":"acme","user_id":"u%d",
                        "user_slug":"u%d","transport_type":"stdio","command":"node","args":["index.js"],
                        "env":{"API_KEY":"masked-0123456789ab"}}}}"""
                        .formatted(number, user, user % 10, user, user),
                """
                        {"event":"perigee.command.result","command_id":"c-%d","outcome":"completed",
                        "result":{"resulting_status":"online"},"timestamp":"2026-11-20T12:00:00Z"}"""
                        .formatted(number));
    }

    private static List<String> call(int number, int user) {
        return List.of(
                """
                {"request_id":"r-%d","team_id":"t%d","user_id":"u%d","method":"tools/call","tool_path":"s:get",
                "arguments":{"number":%d,"text":"what a user asks, of some length"}}"""
                        .formatted(number, user % 10, user, number),
                """
                {"event":"perigee.tool.result","request_id":"r-%d","tool_path":"s:get","outcome":"success","attempts":1,
                "duration_ms":12,"timestamp":"2026-11-20T12:00:00Z","result":{"content":[{"type":"text",
                "text":"what a server answers, number %d, which is a little longer than what it was asked"}]}}"""
                        .formatted(number, number));
    }
}
