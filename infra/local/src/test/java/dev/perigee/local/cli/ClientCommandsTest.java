package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What client commands print and exit with, by what a fleet answers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientCommandsTest {
    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");
    private static final String EXAMPLE = Path.of("examples", "everything.json").toString();

    /** What a terminal would obey, or show in another order. */
    private static final String HOSTILE =
            "a\u001b[2J\u001b]0;title\u0007 \u202egnp.exe\u2066 \u009b31m\u200f\u061c\u2028\u007f\r\n\tz";

    private EmbeddedBroker broker;
    private ScriptedGateway gateway;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data);
        assertThat(run("topics", "--partitions", "1").exitCode()).isZero();
        gateway =
                new ScriptedGateway(
                        broker.bootstrap(), new TopicNames("mcp."), ClientCommandsTest::answer);
    }

    @AfterAll
    void stop() {
        gateway.close();
        broker.close();
    }

    @Test
    void applyShowsEachStatusAndTheResult() {
        var run = run("apply", EXAMPLE);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines())
                .containsExactly(
                        "2026-11-20T10:00:00Z  everything-acme-alice-abc123  connecting",
                        "2026-11-20T10:00:00Z  everything-acme-alice-abc123  online",
                        "completed  everything-acme-alice-abc123  online");
    }

    @Test
    void applyPrintsRecordsAsJson() {
        var run = run("apply", "--output", "json", EXAMPLE);

        assertThat(run.out().lines())
                .hasSize(4)
                .allMatch(line -> Json.tree(line.getBytes(StandardCharsets.UTF_8)).isObject());
    }

    @Test
    void deleteSaysWhyItFailed() {
        var run = run("delete", "--team", "t1", "--user", "u1", "unknown");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("failed", "not_found: no such installation");
    }

    @Test
    void restartFailsWhenTheServerDoesNotComeOnline() {
        var run = run("restart", "--team", "t1", "abc123");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("completed", "error", "exit code 1");
    }

    @Test
    void saysThatThereWasNoResult() {
        var run = run("restart", "--team", "t1", "--deadline", "1s", "silent");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("No result of command cli-", "/health/ready");
    }

    @ParameterizedTest
    @CsvSource({
        "a:text, 0, hi, ''",
        "a:data, 0, '{\"type\":\"image\"}', ''",
        "a:other, 0, '{\"value\":1}', ''",
        "a:wrong, 1, bad input, ''",
        "a:failed, 2, '', 'unknown_server: no such server'",
        "a:silent, 2, '', 'No answer in time'",
    })
    void callPrintsTheAnswer(String path, int exitCode, String out, String err) {
        var run = run("call", "--team", "t1", "--user", "u1", "--timeout", "1s", path, "{}");

        assertThat(run.out().strip()).isEqualTo(out);
        assertThat(run.err()).contains(err);
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void callPrintsTheRecordAsJson() {
        var run = run("call", "--team", "t1", "--user", "u1", "--output", "json", "a:failed");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(
                        Json.tree(run.out().getBytes(StandardCharsets.UTF_8))
                                .path("error")
                                .path("code")
                                .asString())
                .isEqualTo("unknown_server");
    }

    @Test
    void toolsPrintsATable() {
        var run = run("tools", "--team", "t1", "--user", "u1");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly("TOOL DESCRIPTION", "everything:echo Says it again");
    }

    @Test
    void statusPrintsTheLastOfEach() {
        gateway.publish(status("p1", "t5", ServerStatus.CONNECTING, null));
        gateway.publish(status("p2", "t5", ServerStatus.ERROR, "no such program"));
        gateway.publish(status("p3", "t5", ServerStatus.ONLINE, null));
        gateway.publish(status("p1", "t5", ServerStatus.ONLINE, null));
        gateway.publish(status("p4", "t6", ServerStatus.ONLINE, null));
        gateway.publishTombstone(Topic.STATUS, "p3");
        gateway.flush();

        var run = run("status", "--team", "t5");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "PROCESS TEAM USER STATUS SINCE WORKER MESSAGE",
                        "p1 t5 u1 online 2026-11-20T10:00:00Z worker-1",
                        "p2 t5 u1 error 2026-11-20T10:00:00Z worker-1 no such program");
        assertThat(run("status", "--team", "t5", "--output", "json").out().lines()).hasSize(2);
    }

    @Test
    void logsPrintsLines() {
        var line = new EventBody.LogLine("warn", "disk is full", Map.of(), TIME);
        gateway.publish(event(Topic.LOGS, "p1", "t7", new EventBody.Logs(List.of(line, line))));
        gateway.publish(event(Topic.LOGS, "p1", "t7", new EventBody.LogRateLimitExceeded(5, 20)));
        gateway.publish(event(Topic.LOGS, "p2", "t8", new EventBody.Logs(List.of(line))));
        gateway.flush();

        assertThat(run("logs", "--team", "t7").out().lines())
                .containsExactly(
                        "2026-11-20T10:00:00Z  p1  warn  disk is full",
                        "2026-11-20T10:00:00Z  p1  warn  disk is full",
                        "2026-11-20T10:00:00Z  p1  warn  5 lines dropped, more than 20 a second");
        assertThat(run("logs", "--since", "1h", "--team", "t8").out().lines()).hasSize(1);
    }

    @Test
    void saysWhereThereIsNothingToShow() {
        var run = run("status", "--team", "nobody");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("perigee apply FILE");
        assertThat(run("status", "--team", "nobody", "--output", "json").err()).isEmpty();
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
        var call = call("a:failed", "json");
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
                                            "tools/call a:failed of team t1, user u1, within 30000"
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
        var silent =
                run("call", "--team", "t14", "--user", "u1", "--timeout", "1s", "a:silent", "{}");
        assertThat(silent.exitCode()).isEqualTo(2);

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

    @Test
    void saysAFailureOnce() {
        var run = run("delete", "--team", "t1", "--user", "u1", "twice");

        assertThat(run.out().strip())
                .isEqualTo("failed  everything-acme-alice-abc123  error  spawn_failed: no program");
    }

    @ParameterizedTest
    @DisplayName("TEN-18: no control or bidi character of a server reaches a terminal")
    @ValueSource(strings = {"table", "json"})
    void printsNothingThatATerminalObeys(String format) {
        var team = "hostile-" + format;
        gateway.publish(status(HOSTILE, team, ServerStatus.ERROR, HOSTILE));
        var line = new EventBody.LogLine(HOSTILE, HOSTILE, Map.of(), TIME);
        gateway.publish(event(Topic.LOGS, HOSTILE, team, new EventBody.Logs(List.of(line))));
        gateway.flush();

        var runs =
                List.of(
                        run("status", "--team", team, "--output", format),
                        run("logs", "--team", team, "--output", format),
                        run("tools", "--team", "hostile", "--user", "u1", "--output", format),
                        call("a:hostile", format),
                        call("a:hostile-wrong", format),
                        call("a:hostile-data", format),
                        call("a:hostile-failed", format),
                        run("restart", "--team", "t1", "--output", format, "hostile"));

        for (var run : runs) {
            assertThat(run.exitCode()).as(run.err()).isBetween(0, 2);
            var shown = run.out() + run.err();
            assertThat(shown.toLowerCase(Locale.ROOT))
                    .contains("\\u001b[2j", "\\u202e", "\\u009b", "\\u2066");
            // A tool's text keeps its lines and tabs.
            assertThat(shown.replaceAll("[\n\t]", ""))
                    .as("%s", shown)
                    .doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*");
            if (format.equals("json")) {
                assertThat(run.out().lines()).hasSize(1).allMatch(each -> holdsHostile(each));
            }
        }
        assertThat(runs.get(0).out().lines()).hasSize(format.equals("json") ? 1 : 2);
        assertThat(runs.get(1).out().lines()).hasSize(1);
    }

    @Test
    void printsHalfACharacterAsItsNumber() {
        gateway.publish(
                new Answer(
                        Topic.STATUS,
                        "half",
                        RawJson.of(
                                Json.raw(status("half", "t9", ServerStatus.ERROR, "HALF").value())
                                        .text()
                                        .replace("HALF", "\\ud800 half"))));
        gateway.flush();

        assertThat(run("status", "--team", "t9").out()).contains("\\ud800 half");
        assertThat(run("status", "--team", "t9", "--output", "json").out())
                .containsIgnoringCase("\\ud800 half");
    }

    private static boolean holdsHostile(String json) {
        var texts = new ArrayList<String>();
        collect(Json.tree(json.getBytes(StandardCharsets.UTF_8)), texts);
        return texts.stream().anyMatch(text -> text.contains(HOSTILE));
    }

    private static void collect(JsonNode node, List<String> texts) {
        if (node.isString()) {
            texts.add(node.asString());
        }
        node.forEach(child -> collect(child, texts));
    }

    private CliRun call(String path, String format) {
        return run("call", "--team", "t1", "--user", "u1", "--output", format, path, "{}");
    }

    private CliRun run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--bootstrap", broker.bootstrap()));
        return CliRun.of(all.toArray(String[]::new));
    }

    private static List<Answer> answer(Topic topic, byte[] value) {
        return topic == Topic.COMMANDS
                ? toCommand(Json.read(value, Command.class))
                : toRequest(Json.read(value, ToolRequest.class));
    }

    private static List<Answer> toCommand(Command command) {
        var installation = command.payload().installationId();
        if ("silent".equals(installation)) {
            return List.of();
        }
        if ("unknown".equals(installation)) {
            var error = new CommandError("not_found", "no such installation");
            return List.of(result(command, CommandOutcome.FAILED, null, error));
        }
        if ("twice".equals(installation)) {
            var details = CommandDetails.status(ServerStatus.ERROR, "no program");
            var error = new CommandError("spawn_failed", "no program");
            return List.of(result(command, CommandOutcome.FAILED, details, error));
        }
        if ("hostile".equals(installation)) {
            var error = new CommandError("not_found", HOSTILE);
            return List.of(result(command, CommandOutcome.FAILED, null, error));
        }
        if (command.commandType().equals("restart")) {
            var details = CommandDetails.status(ServerStatus.ERROR, "exit code 1");
            return List.of(result(command, CommandOutcome.COMPLETED, details, null));
        }
        var process = "everything-acme-alice-abc123";
        return List.of(
                result(command, CommandOutcome.ACKNOWLEDGED, null, null),
                status(process, "t1", ServerStatus.CONNECTING, null),
                status("somebody-else", "t2", ServerStatus.CONNECTING, null),
                result(
                        command,
                        CommandOutcome.COMPLETED,
                        CommandDetails.status(ServerStatus.ONLINE, null),
                        null),
                status(process, "t1", ServerStatus.ONLINE, null));
    }

    private static Answer result(
            Command command,
            CommandOutcome outcome,
            @Nullable CommandDetails details,
            @Nullable CommandError error) {
        return new Answer(
                Topic.COMMAND_RESULTS,
                command.id(),
                new CommandResult(
                        CommandResult.EVENT,
                        command.id(),
                        null,
                        outcome,
                        "everything-acme-alice-abc123",
                        details,
                        error,
                        TIME));
    }

    private static Answer status(
            String process, String team, ServerStatus status, @Nullable String message) {
        return event(
                Topic.STATUS,
                process,
                team,
                new EventBody.StatusChanged(status, message, null, null));
    }

    private static Answer event(Topic topic, String process, String team, EventBody body) {
        return at(0, topic, process, team, body);
    }

    private static Answer at(int second, Topic topic, String process, String team, EventBody body) {
        var origin =
                new EventOrigin(
                        process,
                        null,
                        "abc123",
                        null,
                        "everything",
                        team,
                        "u1",
                        "worker-1",
                        1,
                        TIME.plusSeconds(second));
        return new Answer(topic, process, Event.of(origin, body));
    }

    private static List<Answer> toCancel(ToolRequest request) {
        return switch (request.requestId()) {
            case "to-cancel" ->
                    List.of(
                            new Answer(
                                    Topic.TOOL_RESULTS,
                                    request.requestId(),
                                    ToolResult.refused(
                                            request,
                                            null,
                                            ToolError.of(ErrorCode.CANCELLED, "on request", null),
                                            TIME)));
            case "ended-before" -> answer(request, ToolOutcome.SUCCESS, "{}");
            default -> List.of();
        };
    }

    private static List<Answer> toRequest(ToolRequest request) {
        if (request.method().equals("cancel")) {
            return toCancel(request);
        }
        var text = "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}";
        var tools =
                "{\"tools\":[{\"tool_path\":\"everything:echo\",\"description\":\"Says it again\"}]}";
        return switch (String.valueOf(request.toolPath())) {
            case "a:text" -> answer(request, ToolOutcome.SUCCESS, text.formatted("hi"));
            case "a:data" ->
                    answer(request, ToolOutcome.SUCCESS, "{\"content\":[{\"type\":\"image\"}]}");
            case "a:other" -> answer(request, ToolOutcome.SUCCESS, "{\"value\":1}");
            case "a:wrong" -> answer(request, ToolOutcome.TOOL_ERROR, text.formatted("bad input"));
            case "a:failed" -> {
                var error = ToolError.of(ErrorCode.UNKNOWN_SERVER, "no such server", null);
                yield List.of(
                        new Answer(
                                Topic.TOOL_RESULTS,
                                request.requestId(),
                                ToolResult.refused(request, null, error, TIME)));
            }
            case "a:hostile" -> answer(request, ToolOutcome.SUCCESS, content("text"));
            case "a:hostile-wrong" -> answer(request, ToolOutcome.TOOL_ERROR, content("text"));
            case "a:hostile-data" -> answer(request, ToolOutcome.SUCCESS, content("image"));
            case "a:hostile-failed" -> {
                var error = ToolError.of(ErrorCode.UNKNOWN_SERVER, HOSTILE, null);
                yield List.of(
                        new Answer(
                                Topic.TOOL_RESULTS,
                                request.requestId(),
                                ToolResult.refused(request, null, error, TIME)));
            }
            case "a:silent" -> List.of();
            default ->
                    request.teamId().equals("hostile")
                            ? answer(request, ToolOutcome.SUCCESS, hostileTools())
                            : answer(request, ToolOutcome.SUCCESS, tools);
        };
    }

    private static String content(String type) {
        return Json.raw(Map.of("content", List.of(Map.of("type", type, "text", HOSTILE)))).text();
    }

    private static String hostileTools() {
        var tool = Map.of("tool_path", HOSTILE, "description", "d");
        return Json.raw(Map.of("tools", List.of(tool))).text();
    }

    private static List<Answer> answer(ToolRequest request, ToolOutcome outcome, String result) {
        return List.of(
                new Answer(
                        Topic.TOOL_RESULTS,
                        request.requestId(),
                        new ToolResult(
                                ToolResult.EVENT,
                                request.requestId(),
                                request.teamId(),
                                request.userId(),
                                "p",
                                request.toolPath(),
                                outcome,
                                RawJson.of(result),
                                null,
                                1,
                                1,
                                TIME)));
    }
}
