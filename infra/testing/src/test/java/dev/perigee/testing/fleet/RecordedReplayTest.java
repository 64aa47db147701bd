package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.port.FreePort;
import dev.perigee.local.recorded.RecordedAnswers;
import dev.perigee.local.recorded.RecordedServers;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

/** The fleet is staging; production is topics under another prefix, with what it had recorded. */
@DisplayName("RPL-02: A replay with recorded servers")
final class RecordedReplayTest {
    private static final String PRODUCTION = "prod.";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    @DisplayName("answers what was answered, starts nothing, and is compared with its recording")
    void replays(@TempDir Path folder) throws Exception {
        int port = FreePort.on("127.0.0.1");
        try (var fleet =
                FleetUnderTest.named("recorded")
                        .partitions(3)
                        .worker("egress.allow", "127.0.0.1:" + port)
                        .start()) {
            var server = Installation.fixture();
            record(fleet, server);
            var day = folder.resolve("day.recording");
            run(fleet, 0, "recording", "make", day.toString(), "--from-prefix", PRODUCTION);
            try (var servers =
                    RecordedServers.start(
                            RecordedAnswers.of(day),
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                var begun = Instant.now();
                replay(fleet, "http://127.0.0.1:" + port);

                assertThat(servers.answered()).isEqualTo(1);
                assertThat(servers.notRecorded()).containsOnlyKeys(server.processId() + ":add");
                assertThat(fleet.processesOfServers()).isEmpty();
                var staging = folder.resolve("staging.recording");
                run(
                        fleet,
                        0,
                        "recording",
                        "make",
                        staging.toString(),
                        "--since",
                        begun.minusSeconds(60).toString());
                var page = folder.resolve("page.html");
                var compared =
                        run(
                                fleet,
                                1,
                                "recording",
                                "compare",
                                day.toString(),
                                staging.toString(),
                                "--report",
                                page.toString());
                assertThat(compared)
                        .contains("outcome", server.toolPath("add"))
                        .doesNotContain(server.toolPath("echo"));
                assertThat(Files.readString(page)).contains("Not recorded");
            }
        }
    }

    private static void replay(FleetUnderTest fleet, String url) {
        var arguments =
                List.of(
                        "replay",
                        "--from",
                        fleet.bootstrap(),
                        "--from-prefix",
                        PRODUCTION,
                        "--to",
                        fleet.bootstrap(),
                        "--include-requests",
                        "all",
                        "--speed",
                        "max",
                        "--recorded-servers",
                        url);
        var replay = fleet.start("replay", arguments);
        Awaitility.await().atMost(PATIENCE).until(() -> !replay.alive());
        assertThat(replay.awaitExit()).as(replay.output()).isIn(0, 1);
        assertThat(replay.output()).contains("sent 3 records");
    }

    private static String run(FleetUnderTest fleet, int exitCode, String... arguments) {
        var all = new ArrayList<>(Arrays.asList(arguments));
        if (arguments[1].equals("make")) {
            all.addAll(List.of("--from", fleet.bootstrap()));
        }
        var part = fleet.start(arguments[1] + "-" + all.hashCode(), all);
        Awaitility.await().atMost(PATIENCE).until(() -> !part.alive());
        assertThat(part.awaitExit()).as(part.output()).isEqualTo(exitCode);
        return part.output();
    }

    /** A server, a call of it that was answered, and one whose question alone was kept. */
    private static void record(FleetUnderTest fleet, Installation server) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", fleet.bootstrap()))) {
            admin.createTopics(
                            Arrays.stream(Topic.values())
                                    .map(
                                            topic ->
                                                    new NewTopic(
                                                            PRODUCTION + topic.suffix(),
                                                            Optional.of(2),
                                                            Optional.empty()))
                                    .toList())
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
        var command = JsonNodeFactory.instance.objectNode();
        command.put("id", "c-1").put("command_type", "configure");
        command.putObject("payload")
                .put("event", "mcp_installation_created")
                .set("config", server.config());
        long begin = Instant.now().minusSeconds(30).toEpochMilli();
        send(
                fleet,
                Topic.COMMANDS,
                begin,
                server.key(),
                new String(Json.write(command), StandardCharsets.UTF_8));
        send(
                fleet,
                Topic.COMMAND_RESULTS,
                begin + 1,
                "c-1",
                """
                {"event":"perigee.command.result","command_id":"c-1","outcome":"completed","process_id":"%s",
                 "result":{"resulting_status":"online"},"timestamp":"%s"}"""
                        .formatted(server.processId(), Instant.now()));
        var tools =
                """
                {"event":"mcp.tools.discovered","process_id":"%s","installation_id":"%s","server_slug":"%s","team_id":"%s",
                 "user_id":"%s","worker_id":"w","seq":1,"timestamp":"%s","tool_count":2,"total_tokens":1,"discovered_at":"%s",
                 "tools":[{"tool_path":"%s","tool_name":"echo","input_schema":{"type":"object"},"token_count":1},
                 {"tool_path":"%s","tool_name":"add","input_schema":{"type":"object"},"token_count":1}]}"""
                        .formatted(
                                server.processId(),
                                server.installationId(),
                                server.serverSlug(),
                                server.teamId(),
                                server.userId(),
                                Instant.now(),
                                Instant.now(),
                                server.toolPath("echo"),
                                server.toolPath("add"));
        send(fleet, Topic.TOOLS, begin + 2, server.processId(), tools);
        call(fleet, server, "r-1", "echo", begin + 15_000, "echo of production");
        call(fleet, server, "r-2", "add", begin + 15_001, null);
        answer(fleet, server, "r-2", "add", begin + 15_002, null);
    }

    private static void call(
            FleetUnderTest fleet,
            Installation server,
            String id,
            String tool,
            long at,
            @Nullable String text) {
        send(
                fleet,
                Topic.TOOL_REQUESTS,
                at,
                server.key(),
                """
                {"request_id":"%s","team_id":"%s","user_id":"%s","method":"tools/call","tool_path":"%s","arguments":{"a":"%s"}}"""
                        .formatted(
                                id, server.teamId(), server.userId(), server.toolPath(tool), tool));
        if (text != null) {
            answer(fleet, server, id, tool, at + 1, text);
        }
    }

    /**
     * Without a text it says nothing of the server that was asked, and so cannot be given again.
     */
    private static void answer(
            FleetUnderTest fleet,
            Installation server,
            String id,
            String tool,
            long at,
            @Nullable String text) {
        var process = text == null ? "" : "\"process_id\":\"" + server.processId() + "\",";
        var said = text == null ? "of nobody" : text;
        send(
                fleet,
                Topic.TOOL_RESULTS,
                at,
                server.key(),
                """
                {"event":"perigee.tool.result","request_id":"%s","tool_path":"%s",%s"outcome":"success","attempts":1,
                 "duration_ms":1,"timestamp":"%s","result":{"content":[{"type":"text","text":"%s"}]}}"""
                        .formatted(id, server.toolPath(tool), process, Instant.now(), said));
    }

    private static void send(FleetUnderTest fleet, Topic topic, long at, String key, String value) {
        fleet.backend()
                .send(
                        new ProducerRecord<>(
                                PRODUCTION + topic.suffix(),
                                null,
                                at,
                                key.getBytes(StandardCharsets.UTF_8),
                                value.getBytes(StandardCharsets.UTF_8)));
    }
}
