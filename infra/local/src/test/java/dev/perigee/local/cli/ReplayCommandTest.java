package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Two clusters; each test has topics of its own in both, by a prefix of its own. */
@DisplayName("perigee replay")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplayCommandTest {
    private static final int TARGET_PARTITIONS = 3;

    private ReplayClusters clusters;

    @BeforeAll
    void start(@TempDir Path data) throws IOException {
        clusters = ReplayClusters.start(data);
    }

    @AfterAll
    void stop() {
        clusters.close();
    }

    @Test
    @DisplayName("copies in the order of each key to another number of partitions, and only reads")
    void copies() throws Exception {
        clusters.topics("a.", TARGET_PARTITIONS);
        var ids = new ArrayList<String>();
        for (int i = 0; i < 200; i++) {
            var id = "c-" + i;
            ids.add(id);
            clusters.send("a.", ReplayClusters.key(i % 7), ReplayClusters.restart(id, i % 7));
        }
        clusters.send(
                "a.",
                "t1/*",
                "{\"id\":\"all\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\"}}");
        clusters.copyOfBroadcast("a.");
        clusters.send("a.", "t1/u1", "{no json");
        clusters.send("a.", "t1/u1", ReplayClusters.restart("c-7", 1)); // Its author sent it twice.
        clusters.producer.flush();
        var ends =
                ReplayClusters.ends(
                        clusters.production, "a.commands", ReplayClusters.SOURCE_PARTITIONS);

        var run = clusters.replay("a.", "--speed", "max", "--wait", "0s");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains("204 offsets of 4 partitions");
        assertThat(run.out()).contains("sent 202 records, refused 2", "malformed", "copy");
        var copies = ReplayClusters.read(clusters.staging, "a.commands", TARGET_PARTITIONS, 202);
        for (int key = 0; key < 7; key++) {
            int number = key;
            var wanted =
                    new ArrayList<>(
                            ids.stream()
                                    .filter(id -> ReplayClusters.number(id) % 7 == number)
                                    .toList());
            if (number == 1) {
                wanted.add("c-7");
            }
            assertThat(copies)
                    .filteredOn(
                            copy ->
                                    ReplayClusters.text(copy.key())
                                            .equals(ReplayClusters.key(number)))
                    .extracting(copy -> ReplayClusters.header(copy, "perigee-replay-id"))
                    .containsExactlyElementsOf(wanted);
        }
        assertThat(copies)
                .allSatisfy(
                        copy -> {
                            assertThat(copy.partition())
                                    .isEqualTo(
                                            ReplayClusters.partition(
                                                    copy.key(), TARGET_PARTITIONS));
                            assertThat(ReplayClusters.header(copy, "perigee-replay-of"))
                                    .matches(clusters.clusterId() + "/a\\.commands-\\d@\\d+");
                            assertThat(ReplayClusters.header(copy, "perigee-replay-run"))
                                    .isNotEmpty();
                            assertThat(copy.headers().toArray()).hasSize(4);
                        });
        assertThat(
                        new HashSet<>(
                                copies.stream()
                                        .map(
                                                copy ->
                                                        ReplayClusters.json(copy)
                                                                .path("id")
                                                                .asString())
                                        .toList()))
                .as("the same id twice is the same id twice")
                .hasSize(201);
        assertThat(
                        ReplayClusters.ends(
                                clusters.production,
                                "a.commands",
                                ReplayClusters.SOURCE_PARTITIONS))
                .isEqualTo(ends);
        try (var admin = ReplayClusters.admin(clusters.production)) {
            assertThat(admin.listGroups().all().get()).isEmpty();
            assertThat(admin.listTopics().names().get()).doesNotContain("a.replays");
        }
    }

    @Test
    @DisplayName("moves expiry along and keeps distances in time, scaled")
    void timing() throws Exception {
        clusters.topics("b.", TARGET_PARTITIONS);
        var first = Instant.ofEpochMilli(clusters.begun);
        for (int i = 0; i < 3; i++) {
            var at = first.plusSeconds(10L * i);
            var command =
                    ReplayClusters.restart("c-" + i, i)
                            .replace(
                                    "\"payload\"",
                                    "\"issued_at\":\"%s\",\"expires_at\":\"%s\",\"payload\""
                                            .formatted(at.minusSeconds(1), at.plusSeconds(300)));
            clusters.sendAt("b.", ReplayClusters.key(i), command, at.toEpochMilli());
        }
        var before = Instant.now();

        var run = clusters.replay("b.", "--speed", "20", "--wait", "0s");

        var took = Duration.between(before, Instant.now());
        assertThat(run.out()).as(run.err()).contains("sent 3 records");
        assertThat(took).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        var copies =
                new ArrayList<>(
                        ReplayClusters.read(clusters.staging, "b.commands", TARGET_PARTITIONS, 3));
        copies.sort(
                (a, b) ->
                        ReplayClusters.header(a, "perigee-replay-id")
                                .compareTo(ReplayClusters.header(b, "perigee-replay-id")));
        var expiries =
                copies.stream()
                        .map(
                                copy ->
                                        Instant.parse(
                                                ReplayClusters.json(copy)
                                                        .path("expires_at")
                                                        .asString()))
                        .toList();
        assertThat(expiries.getFirst()).isAfter(before.plusSeconds(290));
        assertThat(Duration.between(expiries.get(0), expiries.get(2)))
                .isGreaterThanOrEqualTo(Duration.ofMillis(700));
        assertThat(Duration.between(expiries.get(0), expiries.get(1)))
                .isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    @DisplayName("tells by a dry run what it would send, and sends nothing")
    void dryRun(@TempDir Path folder) throws Exception {
        clusters.topics("c.", TARGET_PARTITIONS);
        clusters.send("c.", "t1/u1", ReplayClusters.configure("c-1"));
        clusters.send(
                "c.",
                "t1/u2",
                ReplayClusters.restart("c-2", 2).replace("u1", "u2").replace("t0", "t1"));
        clusters.send("c.", "t2/u1", ReplayClusters.restart("c-3", 1));
        clusters.send("c.", "t1/u1", "[]");
        clusters.producer.flush();
        var rules = folder.resolve("rules.yaml");
        Files.writeString(rules, "secrets: {env: {REGION: keep}}\nhosts: {a.test: b.test}\n");

        var run =
                clusters.replay(
                        "c.",
                        "--dry-run",
                        "--team",
                        "t1",
                        "--rewrite",
                        rules.toString(),
                        "--speed",
                        "0.001");
        var json = clusters.replay("c.", "--dry-run", "--team", "t1", "--output", "json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "configure mcp_installation_created 1",
                        "env API_KEY f-server masked 1",
                        "env REGION f-server kept 1",
                        "a.test -> b.test 1")
                .anyMatch(line -> line.startsWith("invalid 1 "));
        assertThat(run.out()).contains("1 are not selected").doesNotContain(ReplayClusters.SECRET);
        var document = Json.tree(json.out().getBytes(StandardCharsets.UTF_8));
        assertThat(document.at("/refused/invalid").asInt()).isEqualTo(1);
        assertThat(document.path("not_wanted").asInt()).isEqualTo(1);
        assertThat(ReplayClusters.ends(clusters.staging, "c.commands", TARGET_PARTITIONS))
                .allMatch(end -> end == 0);
        try (var admin = ReplayClusters.admin(clusters.staging)) {
            assertThat(admin.listTopics().names().get()).doesNotContain("c.replays");
        }
    }

    @Test
    @DisplayName("refuses a target that is the source, or lacks the topics")
    void refusals() throws Exception {
        clusters.topics("d.", TARGET_PARTITIONS);
        var from = clusters.production.bootstrap();

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
        ReplayClusters.produce(clusters.production, "d.heartbeats", "w-1", heartbeat);
        ReplayClusters.produce(clusters.staging, "d.heartbeats", "w-1", heartbeat);
        var mirror = clusters.replay("d.");
        assertThat(mirror.exitCode()).as(mirror.err()).isEqualTo(64);
        assertThat(mirror.err()).contains("same live worker w-1");
    }

    @Test
    @DisplayName("compares what became of each command, differences first, and writes a page")
    void compares(@TempDir Path folder) throws Exception {
        clusters.topics("e.", 1);
        for (int i = 0; i < 3; i++) {
            clusters.send(
                    "e.",
                    "t1/u1",
                    ReplayClusters.configure("c-" + i).replace("\"i\"", "\"i" + i + "\""));
            clusters.recorded("e.", "c-" + i, "completed", "online");
        }
        clusters.producer.flush();
        var page = folder.resolve("replay.html");
        var answered = new ArrayList<String>();
        try (var _ =
                new ScriptedGateway(
                        clusters.staging.bootstrap(),
                        new TopicNames("e."),
                        (_, value) -> {
                            var id = Json.tree(value).path("id").asString();
                            answered.add(id);
                            return answered.size() == 3
                                    ? List.of(ReplayClusters.result(id, "failed", null))
                                    : List.of(
                                            ReplayClusters.result(id, "acknowledged", null),
                                            ReplayClusters.result(id, "completed", "online"));
                        })) {
            var run =
                    clusters.replay(
                            "e.", "--speed", "max", "--report", page.toString(), "--wait", "30s");

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

        var again =
                clusters.replay(
                        "e.",
                        "--resume=" + clusters.runOf("e."),
                        "--wait",
                        "0s",
                        "--output",
                        "json");

        assertThat(again.out().lines()).hasSize(4);
        var summary =
                Json.tree(again.out().lines().toList().getLast().getBytes(StandardCharsets.UTF_8));
        assertThat(summary.at("/comparison/outcome").asInt()).isEqualTo(1);
        assertThat(ReplayClusters.read(clusters.staging, "e.commands", 1, 3)).hasSize(3);

        var unknown = clusters.replay("e.", "--resume");
        assertThat(unknown.exitCode()).isEqualTo(64);
        assertThat(unknown.err()).contains("No run from this source is unfinished", "(over)");
    }

    @Test
    @DisplayName("copies requests that only read, in their order with the commands")
    void requests() throws Exception {
        clusters.topics("f.", 1);
        var tools =
                """
                {"event":"mcp.tools.discovered","process_id":"p","installation_id":"i","server_slug":"f-server",
                 "team_id":"t1","user_id":"u1","worker_id":"w","seq":1,"timestamp":"2026-11-20T10:00:00Z",
                 "tool_count":2,"total_tokens":1,"discovered_at":"2026-11-20T10:00:00Z","tools":[
                 {"tool_path":"f-server:look","tool_name":"look","input_schema":{},"token_count":1,"read_only_hint":true},
                 {"tool_path":"f-server:do","tool_name":"do","input_schema":{},"token_count":1}]}"""
                        .replace("\n", " ");
        ReplayClusters.produce(clusters.production, "f.tools", "p", tools);
        clusters.send("f.", "t1/u1", ReplayClusters.configure("c-1"));
        for (var tool : List.of("look", "do")) {
            var call =
                    "{\"request_id\":\"r-%s\",\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"tools/call\",\"tool_path\":\"f-server:%s\",\"arguments\":{}}"
                            .formatted(tool, tool);
            clusters.sendTo("f.tool-requests", "t1/u1", call, clusters.nextTime());
        }
        clusters.producer.flush();

        var run =
                clusters.replay(
                        "f.", "--include-requests", "read-only", "--speed", "max", "--wait", "0s");

        assertThat(run.out()).as(run.err()).contains("sent 2 records, refused 1", "not_read_only");
        assertThat(ReplayClusters.read(clusters.staging, "f.tool-requests", 1, 1))
                .extracting(copy -> ReplayClusters.header(copy, "perigee-replay-id"))
                .containsExactly("r-look");
        assertThat(ReplayClusters.read(clusters.staging, "f.commands", 1, 1)).hasSize(1);
    }
}
