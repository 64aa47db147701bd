package dev.perigee.testing.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.local.behaviour.Behaviour;
import dev.perigee.local.behaviour.BehaviourPage;
import dev.perigee.local.behaviour.CompareRules;
import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A day of ten users and three servers, and the same with an upgrade of two of the servers. */
@DisplayName("RPL-05: The report of a comparison, in Chromium,")
@NeedsProgram(Program.CHROMIUM)
final class BehaviourReportTest {
    private static final Instant BEGIN = Instant.parse("2026-11-20T09:00:00Z");
    private static final int USERS = 10;
    private static final int CALLS = 40;
    private static final List<String> SERVERS = List.of("github", "search", "tickets");

    @Test
    @DisplayName("begins with what matters, and shows a pair behind each line")
    void shows(@TempDir Path folder) throws Exception {
        var day = folder.resolve("day.recording");
        var staged = folder.resolve("staging.recording");
        write(day, false);
        write(staged, true);
        var page = BehaviourPage.of(Behaviour.of(day, staged, CompareRules.none()));
        try (var chromium = Chromium.start(Program.CHROMIUM.path())) {
            var server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext(
                    "/",
                    exchange -> {
                        var bytes = page.getBytes(StandardCharsets.UTF_8);
                        exchange.getResponseHeaders()
                                .add("Content-Type", "text/html; charset=utf-8");
                        exchange.sendResponseHeaders(200, bytes.length);
                        exchange.getResponseBody().write(bytes);
                        exchange.close();
                    });
            server.start();
            try {
                look(chromium.page(), "http://127.0.0.1:" + server.getAddress().getPort() + "/");
            } finally {
                server.stop(0);
            }
        }
    }

    private static void look(Page shown, String address) throws Exception {
        shown.size(1280, 900);
        shown.open(address);
        shown.awaitText("h1", "Behaviour differs");
        assertThat(shown.text("ul.head li")).contains("10 servers lost a tool: tickets:close");
        assertThat(shown.text("ul.head"))
                .contains("github:get_issue", "search:find")
                .doesNotContain("tickets:list");
        assertThat(shown.count("pre")).isZero();
        var result =
                "[...document.querySelectorAll('main > details')]"
                        + ".find(it => it.innerText.includes('get_issue'))";
        shown.eval(result + ".open = true");
        shown.eval(result + ".querySelector('details').open = true");
        shown.await("document.querySelector('details details[open] pre').checkVisibility()");
        assertThat(shown.text("details details[open]")).contains("labels", "closed");
        shown.screenshot("behaviour");
        assertThat(shown.problems()).isEmpty();
    }

    private static void write(Path file, boolean isUpgraded) {
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION,
                        "1",
                        isUpgraded ? "staging/mcp." : "production/mcp.",
                        1,
                        BEGIN,
                        BEGIN.plusSeconds(3_600),
                        BEGIN.plusSeconds(3_600));
        try (var writer = new RecordingWriter(file, header)) {
            for (int user = 0; user < USERS; user++) {
                for (var server : SERVERS) {
                    write(
                            writer,
                            Topic.TOOLS,
                            0,
                            server + "-acme-u" + user,
                            tools(server, isUpgraded));
                }
            }
            for (int call = 0; call < CALLS * USERS * SERVERS.size(); call++) {
                calls(writer, call, isUpgraded);
            }
            writer.finish();
        }
    }

    private static String tools(String server, boolean isUpgraded) {
        var tool =
                """
                {"tool_name":"%s","tool_path":"%s:%s","input_schema":{"type":"object"}}""";
        var main = main(server);
        var tools = tool.formatted(main, server, main);
        if (server.equals("tickets") && !isUpgraded) {
            tools += "," + tool.formatted("close", server, "close");
        }
        return "{\"server_slug\":\"%s\",\"tools\":[%s]}".formatted(server, tools);
    }

    private static String main(String server) {
        return switch (server) {
            case "github" -> "get_issue";
            case "search" -> "find";
            default -> "list";
        };
    }

    private static void calls(RecordingWriter writer, int call, boolean isUpgraded) {
        var server = SERVERS.get(call % SERVERS.size());
        var key = "acme/u" + call % USERS;
        var tool = server + ":" + main(server);
        var ask =
                """
                {"request_id":"r-%d","team_id":"acme","user_id":"u%d","method":"tools/call","tool_path":"%s",
                 "arguments":{"number":%d}}"""
                        .formatted(call, call % USERS, tool, call);
        boolean isChanged = isUpgraded && server.equals("github") && call % 7 == 0;
        var said =
                "{\\\"number\\\":%d,\\\"state\\\":\\\"%s\\\",\\\"labels\\\":[\\\"bug\\\"%s]}"
                        .formatted(
                                call,
                                isChanged ? "closed" : "open",
                                isChanged ? ",\\\"triage\\\"" : "");
        boolean isSlow = isUpgraded && server.equals("search");
        var answer =
                """
                {"request_id":"r-%d","outcome":"success","duration_ms":%d,
                 "result":{"content":[{"type":"text","text":"%s"}]}}"""
                        .formatted(call, (60 + call % 50) * (isSlow ? 3 : 1), said);
        write(writer, Topic.TOOL_REQUESTS, call, key, ask);
        write(writer, Topic.TOOL_RESULTS, call, key, answer);
    }

    private static void write(
            RecordingWriter writer, Topic topic, int second, String key, String value) {
        long at = BEGIN.plusSeconds(second).toEpochMilli();
        var tree = Json.tree(value.getBytes(StandardCharsets.UTF_8));
        writer.write(new RecordedRecord(topic, 0, second, at, key, Map.of(), tree));
    }
}
