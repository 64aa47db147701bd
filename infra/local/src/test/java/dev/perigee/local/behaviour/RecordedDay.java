package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingJson;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A day of a fleet as a recording: each user has each server, and calls both of its tools in turn.
 * The second day is a replay of the first, with other ids, masks, orders of fields and durations,
 * none of which is a difference, and with the changes that are planted.
 */
final class RecordedDay {
    static final int USERS = 100;
    static final int SERVERS = 20;
    private static final Instant BEGIN = Instant.parse("2026-11-20T00:00:00Z");

    private final int users;
    private final int servers;
    private final int rounds;
    private final boolean isReplay;

    /** Calls by id: what the replay does with them. */
    private final Set<String> changed = new HashSet<>();

    private final Set<String> failing = new HashSet<>();
    private final Set<String> missing = new HashSet<>();
    private final Set<String> lostTool = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private int slowServer = -1;
    private long offset;

    RecordedDay(int users, int servers, int rounds, boolean isReplay) {
        this.users = users;
        this.servers = servers;
        this.rounds = rounds;
        this.isReplay = isReplay;
    }

    static String call(int user, int server, int round) {
        return "r-" + user + "-" + server + "-" + round;
    }

    RecordedDay changes(String... calls) {
        changed.addAll(Set.of(calls));
        return this;
    }

    RecordedDay fails(String... calls) {
        failing.addAll(Set.of(calls));
        return this;
    }

    RecordedDay misses(String... calls) {
        missing.addAll(Set.of(calls));
        return this;
    }

    RecordedDay losesTool(String... processes) {
        lostTool.addAll(Set.of(processes));
        return this;
    }

    RecordedDay ends(String... processes) {
        ended.addAll(Set.of(processes));
        return this;
    }

    RecordedDay slows(int server) {
        slowServer = server;
        return this;
    }

    long write(Path file) {
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION,
                        "1",
                        isReplay ? "staging/mcp." : "production/mcp.",
                        8,
                        BEGIN,
                        BEGIN.plusSeconds(86_400),
                        BEGIN.plusSeconds(86_401));
        try (var writer = new RecordingWriter(file, header)) {
            each((user, server) -> install(writer, user, server));
            for (int round = 0; round < rounds; round++) {
                int now = round;
                each((user, server) -> callOnce(writer, user, server, now));
            }
            writer.finish();
        }
        return offset;
    }

    private interface Pair {
        void of(int user, int server);
    }

    private void each(Pair pair) {
        for (int user = 0; user < users; user++) {
            for (int server = 0; server < servers; server++) {
                pair.of(user, server);
            }
        }
    }

    static String process(int user, int server) {
        return "s" + server + "-team-user" + user;
    }

    private String mask(String secret) {
        return "masked-" + "%012x".formatted((secret + isReplay).hashCode() & 0xffffffffL);
    }

    private void install(RecordingWriter writer, int user, int server) {
        var id = "c-" + user + "-" + server;
        var command = object();
        command.put("id", own(id)).put("command_type", "configure");
        var payload = command.putObject("payload");
        payload.put("event", "mcp_installation_created");
        payload.putObject("config")
                .put("server_slug", "s" + server)
                .putObject("env")
                .put("KEY", mask(id));
        write(writer, Topic.COMMANDS, key(user), id, command);
        var result = object();
        result.put("command_id", own(id)).put("outcome", "completed");
        result.putObject("result").put("resulting_status", "online");
        write(writer, Topic.COMMAND_RESULTS, key(user), null, result);
        var process = process(user, server);
        var tools = object();
        tools.put("server_slug", "s" + server);
        var list = tools.putArray("tools");
        list.add(tool(server, "get"));
        if (!lostTool.contains(process)) {
            list.add(tool(server, "find"));
        }
        write(writer, Topic.TOOLS, process, null, tools);
        var status =
                object().put("status", ended.contains(process) ? "permanently_failed" : "online");
        write(writer, Topic.STATUS, process, null, status);
    }

    private static ObjectNode tool(int server, String name) {
        var tool = object();
        tool.put("tool_name", name).put("tool_path", "s" + server + ":" + name);
        tool.putObject("input_schema").put("type", "object");
        return tool;
    }

    private void callOnce(RecordingWriter writer, int user, int server, int round) {
        var id = call(user, server, round);
        var path = "s" + server + ":" + (round % 2 == 0 ? "get" : "find");
        var request = object();
        request.put("request_id", own(id)).put("team_id", "team").put("user_id", "user" + user);
        request.put("method", "tools/call").put("tool_path", path);
        request.putObject("arguments").put("n", round);
        write(writer, Topic.TOOL_REQUESTS, key(user), id, request);
        if (missing.contains(id)) {
            return;
        }
        var result = object();
        result.put("request_id", own(id));
        int usual = 20 + (user * 7 + round * 3) % 80;
        result.put("duration_ms", server == slowServer ? usual * 3 : usual + (isReplay ? 1 : 0));
        if (failing.contains(id)) {
            result.put("outcome", "failed").putObject("error").put("code", "timeout");
        } else {
            result.put("outcome", "completed");
            var content = result.putObject("result").putArray("content").addObject();
            content.put("type", "text").put("text", text(id, user, round));
        }
        write(writer, Topic.TOOL_RESULTS, key(user), null, result);
    }

    /** What the server says is JSON in a text, with fields in another order in the replay. */
    private String text(String id, int user, int round) {
        int total = changed.contains(id) ? -1 : round;
        var masked = "\"secret\":\"" + mask("user" + user) + "\"";
        return isReplay
                ? "{\"total\":" + total + ",\"name\":\"<b>user</b>\"," + masked + "}"
                : "{" + masked + ",\"name\":\"<b>user</b>\",\"total\":" + total + "}";
    }

    private static ObjectNode object() {
        return RecordingJson.MAPPER.createObjectNode();
    }

    private static String key(int user) {
        return "team/user" + user;
    }

    private String own(String id) {
        return isReplay ? "replay-1-" + new StringBuilder(id).reverse() : id;
    }

    private void write(
            RecordingWriter writer, Topic topic, String key, @Nullable String id, JsonNode value) {
        var headers =
                isReplay && id != null ? Map.of("perigee-replay-id", id) : Map.<String, String>of();
        long at = BEGIN.toEpochMilli() + offset;
        writer.write(new RecordedRecord(topic, 0, offset++, at, key, headers, value));
    }
}
