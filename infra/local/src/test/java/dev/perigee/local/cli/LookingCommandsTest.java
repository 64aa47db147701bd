package dev.perigee.local.cli;

import static dev.perigee.local.cli.ScriptedRecords.TIME;
import static dev.perigee.local.cli.ScriptedRecords.answer;
import static dev.perigee.local.cli.ScriptedRecords.at;
import static dev.perigee.local.cli.ScriptedRecords.event;
import static dev.perigee.local.cli.ScriptedRecords.failed;
import static dev.perigee.local.cli.ScriptedRecords.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Commands by which an operator looks at a fleet, and ends a call")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LookingCommandsTest {
    private ScriptedGateway gateway;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        gateway =
                ScriptedGateway.withBroker(
                        data,
                        (topic, value) ->
                                topic == Topic.TOOL_REQUESTS
                                        ? toRequest(Json.read(value, ToolRequest.class))
                                        : List.of());
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private static List<Answer> toRequest(ToolRequest request) {
        return switch (request.requestId()) {
            case "to-cancel" -> failed(request, ErrorCode.CANCELLED, "on request");
            case "ended-before" -> answer(request, ToolOutcome.SUCCESS, "{}");
            default ->
                    switch (String.valueOf(request.toolPath())) {
                        case "a:failed" ->
                                failed(request, ErrorCode.UNKNOWN_SERVER, "no such server");
                        case "a:echo" -> answer(request, ToolOutcome.SUCCESS, said(request));
                        default -> List.of();
                    };
        };
    }

    private static String said(ToolRequest request) {
        var arguments = request.arguments();
        return "{\"said\":%s}".formatted(arguments == null ? "null" : arguments.text());
    }

    private CliRun run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--bootstrap", gateway.connection().bootstrap()));
        return CliRun.of(all.toArray(String[]::new));
    }

    private CliRun call(String path) {
        return run(
                "call",
                "--team",
                "t1",
                "--user",
                "u1",
                "--timeout",
                "1s",
                "--output",
                "json",
                path,
                "{}");
    }

    @Test
    @DisplayName("OPS-16: events shows what happened to servers, by time, of both topics")
    void eventsPrintsBothTopicsByTime() {
        gateway.publish(
                at(5, Topic.LIFECYCLE, "p1", "t10", new EventBody.Started(312, "stdio", 3)));
        gateway.publish(
                at(
                        9,
                        Topic.LIFECYCLE,
                        "p1",
                        "t10",
                        new EventBody.Crashed(null, "SIGKILL", 61.25, 2, true, 5000L, "oom")));
        gateway.publish(at(1, Topic.LIFECYCLE, "p2", "t11", new EventBody.Stopped("uninstalled")));
        gateway.publish(
                at(
                        7,
                        Topic.STATUS,
                        "p1",
                        "t10",
                        new EventBody.StatusChanged(
                                ServerStatus.ERROR, "no module", ServerStatus.ONLINE, null)));
        gateway.flush();

        assertThat(run("events", "--team", "t10").out().lines())
                .containsExactly(
                        "2026-11-20T10:00:05Z  p1  started         stdio, 3 tools, after 312 ms",
                        "2026-11-20T10:00:07Z  p1  status_changed  error, was online: no module",
                        "2026-11-20T10:00:09Z  p1  crashed         SIGKILL by limit oom after 61.3"
                                + " s, crash 2, restarts in 5000 ms");
        assertThat(run("events", "--team", "t10", "--kind", "crashed").out().lines()).hasSize(1);
        assertThat(run("events", "--team", "t10", "--output", "json").out().lines())
                .hasSize(3)
                .allMatch(line -> line.startsWith("{"));
    }

    @Test
    @DisplayName("OPS-16: describe shows status, tools, events and log of an installation")
    void describesAnInstallation() {
        gateway.publish(status("p1", "t12", ServerStatus.ERROR, "no module\n  at main.js:1"));
        var tool =
                new EventBody.DiscoveredTool(
                        "everything:echo", "echo", null, RawJson.of("{}"), 1, null);
        gateway.publish(
                event(
                        Topic.TOOLS,
                        "p1",
                        "t12",
                        new EventBody.ToolsDiscovered(1, 1, List.of(tool), TIME)));
        gateway.publish(event(Topic.LIFECYCLE, "p1", "t12", new EventBody.Exited(2)));
        var line = new EventBody.LogLine("error", "Cannot find module", Map.of(), TIME);
        gateway.publish(event(Topic.LOGS, "p1", "t12", new EventBody.Logs(List.of(line))));
        gateway.flush();

        var run = run("describe", "--team", "t12", "abc123");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines())
                .containsExactly(
                        "p1",
                        "  Server      everything",
                        "  Team, user  t12, u1",
                        "  Worker      worker-1",
                        "  Status      error since 2026-11-20T10:00:00Z",
                        "  Message",
                        "    no module",
                        "      at main.js:1",
                        "  Tools       1: echo",
                        "  Events",
                        "    2026-11-20T10:00:00Z  exited          exit code 0 after 2.0 s",
                        "  Log",
                        "    2026-11-20T10:00:00Z  error Cannot find module");
        assertThat(run("describe", "--team", "t12", "abc123", "--output", "json").out().lines())
                .hasSize(1);
        var nothing = run("describe", "--team", "t12", "--user", "u2", "abc123");
        assertThat(nothing.exitCode()).isEqualTo(1);
        assertThat(nothing.err()).contains("perigee status");
    }

    @Test
    @DisplayName("OPS-16: what was uninstalled is not described")
    void describesNothingThatIsGone() {
        gateway.publish(status("p3", "t13", ServerStatus.ONLINE, null));
        gateway.publish(event(Topic.LIFECYCLE, "p3", "t13", new EventBody.Stopped("gone")));
        gateway.publishTombstone(Topic.STATUS, "p3");
        gateway.flush();

        assertThat(run("describe", "--team", "t13", "abc123").exitCode()).isEqualTo(1);
    }

    @Test
    @DisplayName("OPS-04: trace follows a request from its record to its answer")
    void tracesARequest() {
        var call = call("a:failed");
        var requestId =
                Json.tree(call.out().getBytes(StandardCharsets.UTF_8))
                        .path("request_id")
                        .asString();

        var run = run("trace", requestId);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")).toList())
                .hasSize(3)
                .satisfies(
                        lines -> {
                            assertThat(lines.get(0)).isEqualTo("TIME AFTER WHAT RECORD DETAILS");
                            assertThat(lines.get(1))
                                    .containsPattern(" 0 ms asked mcp\\.tool-requests-0@\\d+ ")
                                    .endsWith(
                                            "tools/call a:failed of team t1, user u1, within 1000"
                                                    + " ms");
                            assertThat(lines.get(2))
                                    .containsPattern(" answered mcp\\.tool-results-0@\\d+ ")
                                    .contains("failed unknown_server: no such server, sent 0");
                        });
        assertThat(run("trace", "--output", "json", requestId).out().lines()).hasSize(2);
    }

    @Test
    @DisplayName("OPS-04: trace says when there is no answer, and when nothing is known")
    void tracesWhatIsOpen() {
        var request =
                new ToolRequest(
                        "left-open",
                        "t1",
                        "u1",
                        "tools/call",
                        "a:silent",
                        null,
                        null,
                        null,
                        null,
                        null);
        gateway.publish(new Answer(Topic.TOOL_REQUESTS, "t1/u1", request));
        gateway.flush();
        var open = run("trace", "left-open");
        assertThat(open.exitCode()).isEqualTo(2);
        assertThat(open.out().lines()).hasSize(2);
        assertThat(open.err()).contains("Not everything has an answer yet");

        var nothing = run("trace", "no-such-request");
        assertThat(nothing.exitCode()).isEqualTo(1);
        assertThat(nothing.err()).contains("'no-such-request'");
        assertThat(nothing.out()).isEmpty();
    }

    @Test
    @DisplayName("OPS-16: cancel exits by how the call ended")
    void cancels() {
        var cancelled = run("cancel", "--team", "t1", "--user", "u1", "to-cancel");
        assertThat(cancelled.exitCode()).as(cancelled.err()).isZero();
        assertThat(cancelled.out()).isEqualToIgnoringNewLines("cancelled: on request");

        var ended = run("cancel", "--team", "t1", "--user", "u1", "ended-before");
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.out()).isEqualToIgnoringNewLines("The call had ended: success");

        var unknown =
                run("cancel", "--team", "t1", "--user", "u1", "--wait", "1s", "unknown-request");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("perigee trace unknown-request");
    }

    @Test
    @DisplayName(
            "OPS-01, OPS-16: top shows the workers that send heartbeats and their busiest servers")
    void topShowsWorkers() {
        assertThat(run("top").err()).contains("No worker has sent a heartbeat");
        gateway.publish(new Answer(Topic.HEARTBEATS, "w1", heartbeat("w1", Instant.now())));
        gateway.publish(
                new Answer(
                        Topic.HEARTBEATS, "w2", heartbeat("w2", Instant.now().minusSeconds(600))));
        gateway.flush();

        var lines = run("top", "--servers", "1").out().lines().map(it -> it.replaceAll(" +", " "));

        assertThat(lines.toList())
                .satisfiesExactly(
                        header -> assertThat(header).startsWith("WORKER STATUS AGE PARTITIONS"),
                        worker ->
                                assertThat(worker)
                                        .matches(
                                                "w1 running \\d+ s 2 1 3 25 % 300 MiB 50 % 64 MiB of"
                                                        + " 1\\.0 GiB \\? 2\\.0 GiB of 4\\.0 GiB"),
                        empty -> assertThat(empty).isEmpty(),
                        header -> assertThat(header).startsWith("SERVER WORKER STATUS OPEN"),
                        busiest -> assertThat(busiest).isEqualTo("p2 w1 online 1 5 0 0"));
    }

    @Test
    @DisplayName(
            "OPS-07, OPS-16: usage shows sums of what servers used, of a team if that is asked")
    void usageShowsSums() {
        assertThat(run("usage").err()).contains("Nothing was used since");
        var minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        var used =
                new EventBody.Usage(
                        minute, minute.plusSeconds(60), 3, 1, 10, 20, 36_000, 1500, 9, 7);
        gateway.publish(event(Topic.USAGE, "p1", "t1", used));
        gateway.publish(event(Topic.USAGE, "p2", "t2", used));
        gateway.flush();

        var lines = run("usage", "--team", "t2").out().lines().map(it -> it.replaceAll(" +", " "));
        assertThat(lines)
                .containsExactly(
                        "TEAM USER SERVER CALLS ERRORS CPU S MEM GIB H AWAKE H BYTES",
                        "t2 u1 everything 3 1 1.5 0.000 0.01 30");
        var row =
                Json.tree(
                        run("usage", "--by", "team", "--output", "json", "--team", "t1")
                                .out()
                                .getBytes(StandardCharsets.UTF_8));
        assertThat(row.path("cpu_ms").asLong()).isEqualTo(1500);
        assertThat(row.has("user_id")).isFalse();
    }

    private CliRun shell(String... lines) {
        var in = System.in;
        System.setIn(new ByteArrayInputStream(String.join("\n", lines).getBytes(UTF_8)));
        try {
            return run("shell");
        } finally {
            System.setIn(in);
        }
    }

    @Test
    @DisplayName("OPS-16: shell runs the commands of a pipe, and ends as the first that failed")
    void runsLines() {
        var run =
                shell(
                        "# Calls of a script",
                        "call --team t1 --user u1 a:echo '{\"a b\":1}'",
                        "",
                        "call --team t1 --user u1 a:failed",
                        "call --team t1 --user u1 a:echo -", // The next line is not its input.
                        "dev",
                        "door --port 0",
                        "logs -f",
                        "top --servers 1 -w",
                        "call \"--team",
                        "call --team t1 --user u1 --progress a:echo {}",
                        "exit",
                        "call --team t1 --user u1 a:failed");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.out().lines()).containsExactly("{\"said\":{\"a b\":1}}", "{\"said\":{}}");
        assertThat(run.err())
                .containsSubsequence(
                        "unknown_server: no such server",
                        "perigee call: The arguments",
                        "'dev' is not for this shell",
                        "'door' is not for this shell",
                        "perigee logs: --follow is not for this shell",
                        "perigee top: --watch is not for this shell",
                        "The quote \" is not closed");
        assertThat(shell().exitCode()).isZero();
    }

    @Test
    @DisplayName("OPS-16: calls of a shell keep one client, until one has no answer")
    void keepsAClient() {
        var here = gateway.connection();
        var there = new KafkaConnection(here.bootstrap(), here.names(), Map.of("client.id", "x"));
        try (var clients = new KeptClients()) {
            var first = clients.open(here, false);
            clients.done(first, true);
            assertThat(clients.open(here, false)).isSameAs(first);
            assertThat(clients.open(here, true)).isNotSameAs(first);
            clients.done(first, false);
            var second = clients.open(here, false);
            assertThat(second).isNotSameAs(first);
            assertThat(clients.open(there, false)).isNotSameAs(second);
        }
    }

    @Test
    @DisplayName("OPS-16: a client that no call uses is closed, and none is used that is closed")
    void closesWhatIsNotUsed() {
        var here = gateway.connection();
        try (var clients = new KeptClients(Duration.ofMillis(1))) {
            var first = clients.open(here, false);
            clients.done(first, true);
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !first.isOpen());
        }
        try (var clients = new KeptClients()) {
            var first = clients.open(here, false);
            first.close();
            clients.done(first, true);
            assertThat(clients.open(here, false).isOpen()).isTrue();
        }
    }

    private static Heartbeat heartbeat(String worker, Instant time) {
        return new Heartbeat(
                Heartbeat.EVENT,
                worker,
                "i1",
                "running",
                "0.1.0",
                60,
                0.5,
                64L << 20,
                1L << 30,
                0.25,
                300L << 20,
                4,
                null,
                2L << 30,
                4L << 30,
                Map.of("t1", List.of(server("p1", 100, 0), server("p2", 5, 1))),
                Map.of("running", 1),
                3,
                List.of(1, 2),
                null,
                null,
                time);
    }

    private static Heartbeat.ProcessSummary server(String id, long calls, int open) {
        return new Heartbeat.ProcessSummary(
                id,
                "abc123",
                "u1",
                "everything",
                null,
                "running",
                ServerStatus.ONLINE,
                false,
                1L,
                5,
                "healthy",
                null,
                0,
                calls,
                0,
                open,
                null,
                List.of());
    }
}
