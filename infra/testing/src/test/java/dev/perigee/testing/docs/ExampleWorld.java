package dev.perigee.testing.docs;

import dev.perigee.local.port.FreePort;
import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the examples of {@code --help} take for granted: files, programs, clusters and machines, and
 * what their names stand for here.
 */
final class ExampleWorld implements AutoCloseable {
    /** Prefix of topics without a fleet, in the first fleet's cluster. */
    static final String MOVED = "moved.";

    private static final String HOST = "127.0.0.1";
    private static final Pattern COMMAND = Pattern.compile("(?<![\\w./-])perigee (?=[a-z])");

    /** Examples with the same directory are not of the same reader. */
    private static final Pattern HOME = Pattern.compile("~(?=/)");

    private final Reader reader;
    private final ThreeBrokers cluster;
    private final Path homes;
    private final int staging = FreePort.on(HOST);
    private final Map<String, String> meanings = new LinkedHashMap<>();

    private ExampleWorld(Reader reader, ThreeBrokers cluster, Path folder) throws IOException {
        this.reader = reader;
        this.cluster = cluster;
        homes = Files.createDirectory(folder.resolve("homes"));
        meanings.put("--bootstrap new-kafka:9092", "--prefix " + MOVED);
        meanings.put("kafka:9092", cluster.bootstrap());
        meanings.put("staging:9092", HOST + ":" + staging);
        meanings.put("canary:9092", HOST + ":" + staging);
        meanings.put("worker:7070", HOST + ":" + FreePort.on(HOST));
        meanings.put("0.0.0.0:7070", "0.0.0.0:" + FreePort.on("0.0.0.0"));
        meanings.put("0.0.0.0:7090", "0.0.0.0:" + FreePort.on("0.0.0.0"));
        meanings.put("--port 9092", "--port " + FreePort.on(HOST));
        meanings.put("--partitions 64", "--partitions 4"); // Many take long, and show no more.
        publishEarlier(folder, "2026.7.4");
        publishEarlier(folder, "2026.8.18");
        meanings.put("@acme/mcp-server", "@modelcontextprotocol/server-everything");
        meanings.put("--good 1.4.0 --bad 2.0.0", "--good 2026.7.4 --bad 2026.8.31");
        meanings.put("1.4.0,1.5.0,2.0.0", "2026.7.4,2026.8.18,2026.8.31");
        meanings.put("acls operator ", "acls operator --bootstrap " + cluster.bootstrap() + " ");
        var token = Files.writeString(folder.resolve("token"), "a token of examples, long enough");
        meanings.put("/run/token", token.toString());
        meanings.put("/run/admin-token", token.toString());
        var command =
                Files.readString(reader.root().resolve("infra/local/examples/everything.json"));
        write("servers.jsonl", command.replaceAll("\\s*\\R\\s*", " ") + "\n");
        record(reader.root().resolve("yesterday.recording"), command);
        write("arguments.json", "{\"a\":2,\"b\":3}\n");
        write("answer.json", "{\"action\":\"decline\"}\n");
        write(
                "requests.jsonl",
                """
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
                {"jsonrpc":"2.0","method":"notifications/initialized"}
                {"jsonrpc":"2.0","id":2,"method":"tools/list"}
                """);
        write("commands.txt", "status\ntools --team t1 --user u1\n");
        write("patch.json", "{\"id\":\"patched\"}\n");
        write("rules.yaml", "unmapped_hosts: keep\n");
        write("replay.html", "");
        write("admin.properties", "client.id=admin\n");
        write("prod.properties", "bootstrap.servers=%s\n".formatted(reader.fleets().bootstrap()));
        write(
                "gateway.properties",
                "kafka.bootstrap.servers=%s\nworkers=ws://%s/link\n"
                        .formatted(cluster.bootstrap(), meanings.get("worker:7070")));
        write("worker.properties", "worker.id=worker-of-examples\nisolation.mode=none\n");
        write("door.tokens", "0".repeat(64) + " t1 u1\n");
        write("link-token", "a token of examples, long enough");
        program("generate-config", "cat servers.jsonl");
        program("systemctl", "echo \"$@\"");
    }

    /** The present server-everything under an earlier version, which behaves the same. */
    private void publishEarlier(Path folder, String version) throws IOException {
        var present =
                NpmServers.installed().modules().resolve("@modelcontextprotocol/server-everything");
        var copy = folder.resolve("everything-" + version);
        try (var files = Files.walk(present)) {
            for (var file : files.toList()) {
                Files.copy(file, copy.resolve(present.relativize(file).toString()));
            }
        }
        var manifest = copy.resolve("package.json");
        var text = Files.readString(manifest);
        Files.writeString(
                manifest,
                text.replaceFirst("\"version\": *\"[^\"]*\"", "\"version\": \"" + version + "\""));
        reader.publish(copy);
    }

    static ExampleWorld around(Reader reader, Path folder) throws IOException {
        return new ExampleWorld(reader, ThreeBrokers.start(folder.resolve("cluster")), folder);
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(reader.root().resolve(name), text);
    }

    /** A day of one command. */
    private static void record(Path file, String command) {
        var key = "t1/u1";
        var at = Instant.now().minusSeconds(86_400);
        var header = new RecordingHeader(RecordingHeader.VERSION, "1", "prod/mcp.", 1, at, at, at);
        try (var writer = new RecordingWriter(file, header)) {
            var value = Json.tree(command.getBytes(StandardCharsets.UTF_8));
            writer.write(
                    new RecordedRecord(
                            Topic.COMMANDS, 0, 0, at.toEpochMilli(), key, Map.of(), value));
            writer.finish();
        }
    }

    private void program(String name, String script) throws IOException {
        var file =
                Files.writeString(
                        reader.programs().resolve(name), "#!/usr/bin/env bash\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** From now on a name in examples stands for this. */
    void means(String name, String meaning) {
        meanings.put(name, meaning);
    }

    /** The port of the staging fleet's broker. */
    int staging() {
        return staging;
    }

    /** An example as a line for a shell at the root of the checkout. */
    String translated(String example) throws IOException {
        var line = COMMAND.matcher(example).replaceAll("scripts/perigee ");
        for (var meaning : meanings.entrySet()) {
            line = line.replace(meaning.getKey(), meaning.getValue());
        }
        return HOME.matcher(line).find()
                ? HOME.matcher(line).replaceAll(Files.createTempDirectory(homes, "home").toString())
                : line;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
