package dev.perigee.testing.fleet;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Utils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A day of users who each call one of twenty servers, which are the reference servers from npm, as
 * a recording of commands and requests alone: replayed into a fleet it becomes that fleet's day.
 * One call of twenty fails. Each server's program is a file of its own, so that another version of
 * one of them can be put there.
 */
final class GeneratedDay {
    static final int SERVERS = 20;

    /** The places that no two runs have alike. */
    static final String RULES =
            """
            ignore: ["**.thoughtHistoryLength"]    # how many thoughts the process had before
            slower: 8                              # the machine has other things to do
            """;

    private static final List<String> PACKAGES =
            List.of("everything", "filesystem", "memory", "sequential-thinking");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final int PARTITIONS = 8;
    private static final int RARE_CALLS = 25;

    private final Path folder;
    private final int users;
    private final int rounds;

    GeneratedDay(Path folder, int users, int calls) throws IOException {
        this.folder = folder;
        this.users = users;
        this.rounds = calls / users;
        var files = Files.createDirectories(folder.resolve("files"));
        for (int i = 0; i < 10; i++) {
            Files.writeString(files.resolve("f-" + i + ".txt"), "line one\nline two of " + i);
        }
        for (int server = 0; server < SERVERS; server++) {
            Files.writeString(program(server), "import \"" + entry(server) + "\";\n");
        }
    }

    int users() {
        return users;
    }

    int calls() {
        return users * rounds;
    }

    static String slug(int server) {
        return PACKAGES.get(server % PACKAGES.size()) + "-" + server;
    }

    private static Path entry(int server) {
        return NpmServers.installed().entry(PACKAGES.get(server % PACKAGES.size()));
    }

    private Path program(int server) {
        return folder.resolve(slug(server) + ".mjs");
    }

    /**
     * Puts another version of a server in its place.
     *
     * @param tools {@code lost}, {@code changed}, {@code failing} and {@code slow}: names of tools
     */
    void plant(int server, Map<String, String> tools) throws IOException {
        var change = folder.resolve(slug(server) + "-change.mjs");
        Files.writeString(
                change,
                CHANGE.replace("PLANTED", new String(Json.write(tools), StandardCharsets.UTF_8)));
        Files.writeString(
                program(server), "import \"" + change + "\";\nimport \"" + entry(server) + "\";\n");
    }

    /** Changes what a server says, on its way out. */
    private static final String CHANGE =
            """
            const planted = PLANTED;
            const asked = new Map();
            let rest = '';
            let slowCalls = 0;
            const emit = process.stdin.emit;
            process.stdin.emit = function (event, chunk) {
              if (event === 'data') {
                const lines = (rest + chunk).split('\\n');
                rest = lines.pop();
                for (const line of lines) {
                  const message = JSON.parse(line);
                  if (message.method === 'tools/call') asked.set(message.id, message.params.name);
                }
              }
              return emit.apply(this, arguments);
            };
            const write = process.stdout.write.bind(process.stdout);
            process.stdout.write = function (text) {
              let message;
              try {
                message = JSON.parse(text);
              } catch {
                return write(text);
              }
              const tool = asked.get(message.id);
              asked.delete(message.id);
              if (message.result?.tools) {
                message.result.tools = message.result.tools.filter(each => each.name !== planted.lost);
              }
              if (message.result && tool !== undefined && tool === planted.failing) message.result.isError = true;
              if (message.result && tool !== undefined && tool === planted.changed) {
                message.result.content[0].text = message.result.content[0].text.replace('sum', 'total');
              }
              const out = JSON.stringify(message) + '\\n';
              // One of seven is so slow, the first of each process among them: the 99th percentile is.
              if (tool !== undefined && tool === planted.slow && slowCalls++ % 7 === 0) {
                setTimeout(() => write(out), 10000);
                return true;
              }
              return write(out);
            };
            """;

    /** How many users call a server. */
    int usersOf(int server) {
        int count = 0;
        for (int user = 0; user < users; user++) {
            count += user % SERVERS == server ? 1 : 0;
        }
        return count;
    }

    /** How often a user calls a tool of a server. */
    int callsOf(int server, String tool) {
        int count = 0;
        for (int round = 0; round < rounds; round++) {
            count += call(server, round).tool().equals(tool) && round % 20 != 7 ? 1 : 0;
        }
        return count;
    }

    /** Writes commands and requests. */
    void write(Path file) {
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION,
                        "1",
                        "generated/mcp.",
                        PARTITIONS,
                        NOON,
                        NOON.plusSeconds(86_400),
                        NOON.plusSeconds(86_400));
        try (var writer = new RecordingWriter(file, header)) {
            long offset = 0;
            for (int user = 0; user < users; user++) {
                write(writer, Topic.COMMANDS, offset++, -1_000, user, configure(user));
            }
            for (int round = 0; round < rounds; round++) {
                for (int user = 0; user < users; user++) {
                    write(writer, Topic.TOOL_REQUESTS, offset++, round, user, ask(user, round));
                }
            }
            writer.finish();
        }
    }

    private void write(
            RecordingWriter writer, Topic topic, long offset, long at, int user, JsonNode value) {
        var key = installation(user).key();
        var bytes = key.getBytes(StandardCharsets.UTF_8);
        int partition = Utils.toPositive(Utils.murmur2(bytes)) % PARTITIONS;
        long time = NOON.toEpochMilli() + at;
        writer.write(new RecordedRecord(topic, partition, offset, time, key, Map.of(), value));
    }

    private Installation installation(int user) {
        int server = user % SERVERS;
        var args =
                slug(server).startsWith("filesystem")
                        ? List.of(program(server).toString(), folder.resolve("files").toString())
                        : List.of(program(server).toString());
        return new Installation(
                slug(server),
                "inst-" + user,
                "team-" + user % 10,
                "user-" + user,
                Fixtures.NODE,
                args,
                Map.of(),
                JsonNodeFactory.instance.objectNode());
    }

    private JsonNode configure(int user) {
        var command = JsonNodeFactory.instance.objectNode();
        command.put("id", "c-" + user).put("command_type", "configure");
        command.putObject("payload")
                .put("event", "mcp_installation_created")
                .set("config", installation(user).config());
        return command;
    }

    private JsonNode ask(int user, int round) {
        var installation = installation(user);
        var call = call(user % SERVERS, round);
        var request =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("request_id", "r-" + user + "-" + round)
                        .put("team_id", installation.teamId())
                        .put("user_id", installation.userId())
                        .put("method", "tools/call")
                        .put("tool_path", installation.toolPath(call.tool()));
        var arguments = round % 20 == 7 ? call.wrong() : call.arguments();
        request.set("arguments", Json.tree(arguments.getBytes(StandardCharsets.UTF_8)));
        return request;
    }

    /** A call, and arguments with which it fails. */
    private record Call(String tool, String arguments, String wrong) {}

    private Call call(int server, int round) {
        return switch (PACKAGES.get(server % PACKAGES.size())) {
            case "everything" -> everything(round);
            case "filesystem" -> {
                var files = folder.resolve("files");
                var path = "{\"path\":\"" + files.resolve("f-" + round % 10 + ".txt") + "\"}";
                yield round % 2 == 0
                        ? new Call("read_text_file", path, "{\"path\":\"/nowhere\"}")
                        : new Call("list_directory", "{\"path\":\"" + files + "\"}", "{}");
            }
            case "memory" -> {
                var names = "{\"names\":[\"n-" + round + "\"]}";
                yield round % 2 == 0
                        ? new Call("open_nodes", names, "{}")
                        : new Call("search_nodes", "{\"query\":\"q-" + round + "\"}", "{}");
            }
            default -> {
                var thought =
                        "{\"thought\":\"t-%d\",\"nextThoughtNeeded\":false,\"thoughtNumber\":1,\"totalThoughts\":1}"
                                .formatted(round);
                yield new Call("sequentialthinking", thought, "{}");
            }
        };
    }

    /** Of the tool that is slow: enough for a percentile of each server. */
    private int rareOfUser() {
        return Math.ceilDiv(RARE_CALLS, Math.max(1, users / SERVERS));
    }

    private Call everything(int round) {
        // Never the first call, which waits for a machine that starts all servers.
        int step = Math.max(1, rounds / rareOfUser());
        if (round % step == step - 1) {
            return new Call("get-annotated-message", "{\"messageType\":\"success\"}", "{}");
        }
        return round % 2 == 0
                ? new Call("get-sum", "{\"a\":" + round + ",\"b\":1}", "{\"a\":\"x\"}")
                : new Call("echo", "{\"message\":\"m-" + round + "\"}", "{}");
    }
}
