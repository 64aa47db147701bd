package dev.perigee.local.cli;

import static dev.perigee.local.cli.ScriptedRecords.TIME;
import static dev.perigee.local.cli.ScriptedRecords.answer;
import static dev.perigee.local.cli.ScriptedRecords.event;
import static dev.perigee.local.cli.ScriptedRecords.failed;
import static dev.perigee.local.cli.ScriptedRecords.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    private static final String EXAMPLE = Path.of("examples", "everything.json").toString();

    /** What a terminal would obey, or show in another order. */
    private static final String HOSTILE =
            "a\u001b[2J\u001b]0;title\u0007 \u202egnp.exe\u2066 \u009b31m\u200f\u061c\u2028\u007f\r\n\tz";

    private ScriptedGateway gateway;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        gateway = ScriptedGateway.withBroker(data, ClientCommandsTest::script);
    }

    @AfterAll
    void stop() {
        gateway.close();
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

    private void publish(
            String process, String team, String user, ServerStatus status, String version) {
        var origin =
                new EventOrigin(
                        process,
                        null,
                        user.equals("silent") ? "silent" : "of-" + user,
                        null,
                        "orders",
                        team,
                        user,
                        "worker-1",
                        1,
                        TIME);
        var body = new StatusChanged(status, "why", null, null, version);
        gateway.publish(new Answer(Topic.STATUS, process, Event.of(origin, body)));
    }

    @Test
    @DisplayName("OPS-10: selects by team, server, version and status, and tries it dry")
    void selects() {
        publish("o1", "t20", "u1", ServerStatus.ERROR, "2.0.1");
        publish("o2", "t20", "u2", ServerStatus.ONLINE, "2.0.1");
        publish("o3", "t20", "u3", ServerStatus.ERROR, "2.0.0");
        publish("o4", "t21", "u4", ServerStatus.ERROR, "2.0.1");
        gateway.flush();

        var broken =
                List.of("--server", "orders", "--server-version", "2.0.1", "--status", "error");
        assertThat(selected("status", broken)).containsExactly("o1", "o4");
        assertThat(selected("status", List.of("--team", "t20", "--server", "orders")))
                .containsExactly("o1", "o2", "o3");
        assertThat(selected("status", List.of("--worker", "worker-1", "--team", "t21")))
                .containsExactly("o4");
        assertThat(selected("restart", with(broken, "--dry-run"))).containsExactly("o1", "o4");
        assertThat(selected("delete", with(broken, "--team", "t21", "--dry-run")))
                .containsExactly("o4");
        var none = run("restart", "--server", "nowhere", "--status", "error");
        assertThat(none.exitCode()).isZero();
        assertThat(none.err()).contains("No instance is selected");
        var wrong = run("status", "--status", "broken");
        assertThat(wrong.exitCode()).isEqualTo(64);
        assertThat(wrong.err()).contains("--status broken is none of", "permanently_failed");
        assertThat(run("restart", "--team", "t20").exitCode()).isEqualTo(64);
        assertThat(run("restart", "--team", "t20", "x", "--server", "orders").exitCode())
                .isEqualTo(64);
        assertThat(run("delete", "--server", "orders").err()).contains("--yes");
        assertThat(run("delete", "--server", "orders", "--yes").err()).contains("--at-most N");
    }

    @ParameterizedTest
    @ValueSource(strings = {"delete", "restart"})
    @DisplayName("OPS-10: does nothing to anybody where more are selected than were looked at")
    void isBounded(String command) {
        var team = "t23-" + command;
        publish(command + "1", team, "u1", ServerStatus.ERROR, "1");
        publish(command + "2", team, "u2", ServerStatus.ERROR, "1");
        gateway.flush();
        var orders = List.of("--team", team, "--server", "orders");
        assertThat(run(command, orders, "--dry-run").err()).contains("--at-most 2");
        // Meanwhile a third one fails, too.
        publish(command + "3", team, "u3", ServerStatus.ERROR, "1");
        gateway.flush();

        var bounded = new ArrayList<>(List.of("--at-most", "2"));
        if (command.equals("delete")) {
            bounded.add("--yes");
        }
        var run = run(command, orders, bounded.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("3 instances are selected, more than --at-most 2");
        assertThat(run.out()).isEmpty();
    }

    @Test
    @DisplayName("OPS-10: does it at a rate, and ends where none of a time came right")
    void selectsAtARate() {
        for (int user = 1; user <= 5; user++) {
            publish("r" + user, "t22", "u" + user, ServerStatus.ONLINE, "1");
        }
        gateway.flush();
        var orders = List.of("--team", "t22", "--server", "orders", "--rate", "2");

        var dry = run("delete", orders, "--dry-run");
        assertThat(dry.err()).contains("5 selected", "--at-most 5");
        var deleted = run("delete", orders, "--yes", "--at-most", "5");
        assertThat(deleted.exitCode()).as(deleted.err()).isZero();
        assertThat(deleted.out().lines().filter(line -> line.startsWith("completed"))).hasSize(5);

        // The scripted gateway's servers never come online again.
        var restarted = run("restart", orders, "--reason", "new network");
        assertThat(restarted.exitCode()).isEqualTo(1);
        assertThat(restarted.out().lines().filter(line -> line.startsWith("completed"))).hasSize(2);
        assertThat(restarted.err()).contains("3 more are left as they are");
    }

    private CliRun run(String command, List<String> selectors, String... more) {
        var all = new ArrayList<String>();
        all.add(command);
        all.addAll(selectors);
        all.addAll(List.of(more));
        return run(all.toArray(String[]::new));
    }

    private static List<String> with(List<String> options, String... more) {
        var all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return all;
    }

    private List<String> selected(String command, List<String> selectors) {
        var run = run(command, selectors);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out().lines().skip(1).map(line -> line.split(" ", 2)[0]).toList();
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
                        "PROCESS TEAM USER VERSION STATUS SINCE WORKER MESSAGE",
                        "p1 t5 u1 - online 2026-11-20T10:00:00Z worker-1",
                        "p2 t5 u1 - error 2026-11-20T10:00:00Z worker-1 no such program");
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
        all.addAll(1, List.of("--bootstrap", gateway.connection().bootstrap()));
        return CliRun.of(all.toArray(String[]::new));
    }

    private static List<Answer> script(Topic topic, byte[] value) {
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

    private static List<Answer> toRequest(ToolRequest request) {
        var text = "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}";
        var tools =
                "{\"tools\":[{\"tool_path\":\"everything:echo\",\"description\":\"Says it again\"}]}";
        return switch (String.valueOf(request.toolPath())) {
            case "a:text" -> answer(request, ToolOutcome.SUCCESS, text.formatted("hi"));
            case "a:data" ->
                    answer(request, ToolOutcome.SUCCESS, "{\"content\":[{\"type\":\"image\"}]}");
            case "a:other" -> answer(request, ToolOutcome.SUCCESS, "{\"value\":1}");
            case "a:wrong" -> answer(request, ToolOutcome.TOOL_ERROR, text.formatted("bad input"));
            case "a:failed" -> failed(request, ErrorCode.UNKNOWN_SERVER, "no such server");
            case "a:hostile" -> answer(request, ToolOutcome.SUCCESS, content("text"));
            case "a:hostile-wrong" -> answer(request, ToolOutcome.TOOL_ERROR, content("text"));
            case "a:hostile-data" -> answer(request, ToolOutcome.SUCCESS, content("image"));
            case "a:hostile-failed" -> failed(request, ErrorCode.UNKNOWN_SERVER, HOSTILE);
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
}
