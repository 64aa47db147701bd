package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.NpmRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

/** A package of six versions, in a registry of this machine; the fourth says something else. */
@DisplayName("RPL-06: perigee bisect")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BisectTest {
    private static final String PACKAGE = "@acme/notes";
    private static final int CALLS = 5;
    private static final int PARTITIONS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    private static final String SERVER =
            """
            #!/usr/bin/env node
            import {createInterface} from 'node:readline';
            const answer = (id, result) =>
              process.stdout.write(JSON.stringify({jsonrpc: '2.0', id, result}) + '\\n');
            createInterface({input: process.stdin}).on('line', line => {
              const {id, method, params} = JSON.parse(line);
              if (method === 'initialize') {
                answer(id, {protocolVersion: params.protocolVersion, capabilities: {tools: {}},
                  serverInfo: {name: 'notes', version: 'VERSION'}});
              } else if (method === 'tools/list') {
                answer(id, {tools: [{name: 'next', inputSchema: {type: 'object'}}]});
              } else if (method === 'tools/call') {
                answer(id, {content: [{type: 'text', text: 'WORD ' + (params.arguments.a + 1)}]});
              } else if (id !== undefined) {
                answer(id, {});
              }
            });
            """;

    @TempDir private static Path folder;
    private final NpmRegistry registry = NpmRegistry.start();
    private FleetUnderTest staging;

    @BeforeAll
    void start() throws Exception {
        for (int minor = 0; minor < 6; minor++) {
            registry.publish(version("1." + minor + ".0", minor < 3 ? "note" : "Note:"));
        }
        staging = fleet("staging", registry);
    }

    @AfterAll
    void stop() {
        if (staging != null) {
            staging.close();
        }
        registry.close();
    }

    @Test
    @DisplayName("names the version of a package that changes what calls give")
    void finds() throws Exception {
        var day = folder.resolve("of-0.9.0.recording");
        record(day, "0.9.0");
        bisect(staging, day);
    }

    @Test
    @DisplayName("tells what another fleet does otherwise, and of the same fleet nothing")
    void comparesFleets() throws Exception {
        var day = folder.resolve("of-1.0.0.recording");
        record(day, "1.0.0");
        try (var mirror = NpmRegistry.start()) {
            mirror.publish(version("1.0.0", "Note:"));
            try (var canary = fleet("canary", mirror)) {
                var same = compare(day, staging.bootstrap());
                assertThat(same.exitCode()).as(same.output()).isZero();
                assertThat(same.output()).contains("6 calls and commands compared, 6 the same.");

                var another = compare(day, canary.bootstrap());
                assertThat(another.exitCode()).as(another.output()).isEqualTo(1);
                assertThat(another.output())
                        .contains(
                                "Replaying into --to",
                                "Replaying into --second",
                                "5 calls give another result: notes:next",
                                "6 calls and commands compared, 1 the same.");
            }
        }
    }

    private static FleetUnderTest fleet(String name, NpmRegistry registry) throws Exception {
        var npm = folder.resolve(name + "-npm").toString();
        var npmrc = "registry=%s\ncache=%s\n".formatted(registry.url(), npm);
        var file = Files.writeString(folder.resolve(name + "-npmrc"), npmrc);
        return FleetUnderTest.named(name)
                .partitions(PARTITIONS)
                .worker("worker.cache-directory", folder.resolve(name + "-cache").toString())
                .worker("packages.npmrc", file.toString())
                .environment("npm_config_registry", registry.url())
                .environment("npm_config_cache", npm)
                .start();
    }

    private InProcessRun compare(Path day, String second) {
        return InProcessRun.here(
                List.of(
                        "bisect",
                        day.toString(),
                        "--to",
                        staging.bootstrap(),
                        "--include-requests",
                        "all",
                        "--second",
                        second));
    }

    private static void bisect(FleetUnderTest fleet, Path day) throws IOException {
        var page = folder.resolve("behaviour.html");
        var arguments =
                List.of(
                        "bisect",
                        day.toString(),
                        "--to",
                        fleet.bootstrap(),
                        "--include-requests",
                        "all",
                        "--package",
                        PACKAGE,
                        "--good",
                        "1.0.0",
                        "--bad",
                        "1.5.0",
                        "--report",
                        page.toString());
        var bisect = fleet.start("bisect", arguments);
        Awaitility.await().atMost(PATIENCE).until(() -> !bisect.alive());

        assertThat(bisect.awaitExit()).as(bisect.output()).isEqualTo(1);
        assertThat(bisect.output())
                .contains(
                        "6 versions; replaying with @acme/notes@1.0.0",
                        "@acme/notes@1.5.0 changes behaviour: 5 calls give another result",
                        "@acme/notes@1.2.0 is as the good one",
                        "@acme/notes@1.3.0 changes behaviour, 1.2.0 does not:",
                        "5 calls give another result: notes:next",
                        "6 calls and commands compared, 1 the same.");
        assertThat(Files.readString(page)).contains("note 1", "Note: 1");
    }

    private static Path version(String version, String word) throws IOException {
        var made = Files.createDirectories(folder.resolve("notes-" + version + "-" + word));
        var manifest =
                """
                {"name":"%s","version":"%s","type":"module","bin":{"notes":"index.js"}}"""
                        .formatted(PACKAGE, version);
        Files.writeString(made.resolve("package.json"), manifest);
        Files.writeString(
                made.resolve("index.js"), SERVER.replace("VERSION", version).replace("WORD", word));
        return made;
    }

    /** One server, by whichever version, and some calls of it. */
    private static void record(Path file, String version) {
        var server = Installation.of("notes", "npx", List.of("-y", PACKAGE + "@" + version));
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION,
                        "1",
                        "production/mcp.",
                        PARTITIONS,
                        NOON,
                        NOON.plusSeconds(60),
                        NOON.plusSeconds(60));
        var command = JsonNodeFactory.instance.objectNode();
        command.put("id", "c-1").put("command_type", "configure");
        command.putObject("payload")
                .put("event", "mcp_installation_created")
                .set("config", server.config());
        try (var writer = new RecordingWriter(file, header)) {
            write(writer, Topic.COMMANDS, 1, server.key(), Json.write(command));
            for (int call = 0; call < CALLS; call++) {
                var request =
                        """
                        {"request_id":"r-%d","team_id":"%s","user_id":"%s","method":"tools/call","tool_path":"%s",
                         "arguments":{"a":%d}}"""
                                .formatted(
                                        call,
                                        server.teamId(),
                                        server.userId(),
                                        server.toolPath("next"),
                                        call);
                write(
                        writer,
                        Topic.TOOL_REQUESTS,
                        2 + call,
                        server.key(),
                        request.getBytes(StandardCharsets.UTF_8));
            }
            writer.finish();
        }
    }

    private static void write(
            RecordingWriter writer, Topic topic, int second, String key, byte[] value) {
        var bytes = key.getBytes(StandardCharsets.UTF_8);
        int partition = Utils.toPositive(Utils.murmur2(bytes)) % PARTITIONS;
        long at = NOON.plusSeconds(second).toEpochMilli();
        writer.write(
                new RecordedRecord(topic, partition, second, at, key, Map.of(), Json.tree(value)));
    }
}
