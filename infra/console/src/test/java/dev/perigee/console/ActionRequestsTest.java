package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.status;
import static dev.perigee.console.ServedConsole.TOKEN;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.audit.ActionRole;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("OPS-05: actions of the console, over HTTP,")
final class ActionRequestsTest {
    @AutoClose private final ServedConsole console = new ServedConsole();

    private static final String ALICE = "alice-0123456789abcdef";
    private static final String BOB = "bob-0123456789abcdef";

    private void startWithPeople() throws Exception {
        var parsed =
                ConsoleTokens.parse("alice operate " + ALICE + "\nbob read " + BOB + "\n# nobody");
        assertThat(parsed).isNotNull();
        console.start(TOKEN, true, parsed);
    }

    private static final String RESTART =
            "{\"action\":\"restart\",\"process_ids\":[\"a\"],\"reason\":\"new network\"}";

    private HttpRequest.Builder action(String body) {
        return console.request("/console/api/actions")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private HttpResponse<String> act(String token, String body) throws Exception {
        return console.send(action(body).header("Authorization", "Bearer " + token));
    }

    private JsonNode ended(HttpResponse<String> begun) throws Exception {
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
        var path =
                "/console/api/actions?id=" + ServedConsole.json(begun).get("request_id").asString();
        var authorized = console.request(path).header("Authorization", "Bearer " + ALICE);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                ServedConsole.json(console.send(authorized.copy()))
                                        .get("done")
                                        .asBoolean());
        return ServedConsole.json(console.send(authorized));
    }

    @Test
    @DisplayName("OPS-05: an action is recorded with who and why before its command is sent")
    void recordsBeforeItActs() throws Exception {
        startWithPeople();

        var progress = ended(act(ALICE, RESTART));

        assertThat(console.log.order()).containsExactly("audit accepted", "command restart");
        var audit = console.log.audits().getFirst();
        assertThat(audit.actor()).isEqualTo("alice");
        assertThat(audit.role()).isEqualTo(ActionRole.OPERATE);
        assertThat(audit.reason()).isEqualTo("new network");
        assertThat(audit.processId()).isEqualTo("a");
        assertThat(audit.requestId()).isEqualTo(progress.get("request_id").asString());
        var command = console.log.commands().getFirst();
        assertThat(command.id()).isEqualTo(audit.actionId());
        assertThat(command.payload().reason()).isEqualTo("new network");
        assertThat(progress.get("completed").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "recover,configure,mcp_recovery,",
        "block,kill,,",
        "unblock,spawn,,",
        "disable_tool,configure,update_tool_status,true",
        "enable_tool,configure,update_tool_status,false"
    })
    @DisplayName("OPS-05: each action is the command that a backend would send")
    void sendsCommands(
            String action, String type, @Nullable String event, @Nullable Boolean disabled)
            throws Exception {
        startWithPeople();

        var _ =
                ended(
                        act(
                                ALICE,
                                RESTART.replace(
                                        "\"restart\"", "\"" + action + "\",\"tool\":\"echo\"")));

        var command = console.log.commands().getFirst();
        assertThat(command.commandType()).isEqualTo(type);
        var payload = command.payload();
        assertThat(payload.event() == null ? payload.action() : payload.event()).isEqualTo(event);
        assertThat(payload.isDisabled()).isEqualTo(disabled);
        assertThat(payload.toolName()).isEqualTo(disabled == null ? null : "echo");
    }

    @Test
    @DisplayName("OPS-05: who may only read cannot act, whatever is sent")
    void refusesARoleThatIsNotEnough() throws Exception {
        startWithPeople();

        assertThat(act(BOB, RESTART).statusCode()).isEqualTo(403);
        assertThat(act(TOKEN, RESTART).statusCode()).isEqualTo(403);
        assertThat(act("nobody", RESTART).statusCode()).isEqualTo(401);
        assertThat(act(ALICE, "{\"action\":\"drain\",\"worker\":\"w\",\"reason\":\"r\"}").body())
                .contains("needs the role admin");
        assertThat(console.log.order()).isEmpty();
        assertThat(
                        ServedConsole.json(
                                        console.send(
                                                console.request("/console/api/session")
                                                        .header("Authorization", "Bearer " + BOB)))
                                .get("role")
                                .asString())
                .isEqualTo("read");
    }

    @Test
    @DisplayName("OPS-05: a page of elsewhere cannot act with the session of a browser")
    void refusesOtherOrigins() throws Exception {
        startWithPeople();
        var cookie = console.login(ALICE).headers().firstValue("Set-Cookie").orElseThrow();
        var held = cookie.substring(0, cookie.indexOf(';'));
        var marked = ConsoleAccess.MARK;

        for (var foreign :
                List.of(
                        action(RESTART),
                        action(RESTART).header(marked, "1"),
                        action(RESTART).header(marked, "1").header("Origin", "http://127.0.0.1:1"),
                        action(RESTART).header(marked, "1").header("Sec-Fetch-Site", "same-site"),
                        action(RESTART).header("Origin", "http://" + console.address()),
                        action(RESTART)
                                .setHeader("Content-Type", "text/plain")
                                .header(marked, "1")
                                .header("Origin", "http://" + console.address()))) {
            assertThat(console.send(foreign.header("Cookie", held)).statusCode()).isEqualTo(403);
        }
        assertThat(console.log.order()).isEmpty();
        for (var own :
                List.of(
                        action(RESTART)
                                .header(marked, "1")
                                .header("Origin", "http://" + console.address()),
                        action(RESTART)
                                .header(marked, "1")
                                .header("Sec-Fetch-Site", "same-origin"))) {
            assertThat(console.send(own.header("Cookie", held)).statusCode()).isEqualTo(202);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|400|action must be",
                "[|400|not an action",
                "{\"action\":\"delete\",\"process_ids\":[\"a\"],\"reason\":\"r\"}|400|action must be",
                "{\"action\":\"restart\",\"process_ids\":[\"a\"]}|400|reason is missing",
                "{\"action\":\"restart\",\"process_ids\":[\"a\"],\"reason\":\" \"}|400|reason is missing",
                "{\"action\":\"restart\",\"process_ids\":[\"a\"],\"reason\":\"a\\nb\"}|400|one line",
                "{\"action\":\"restart\",\"process_ids\":[],\"reason\":\"r\"}|400|from 1 to 1000",
                "{\"action\":\"restart\",\"process_ids\":[\"a\",\"b\"],\"reason\":\"r\"}|400|count must be",
                "{\"action\":\"restart\",\"process_ids\":[\"x\"],\"reason\":\"r\"}|404|no instance x",
                "{\"action\":\"disable_tool\",\"process_ids\":[\"a\"],\"reason\":\"r\"}|400|tool is missing"
            })
    void refusesWhatIsNoAction(String body, int status, String why) throws Exception {
        startWithPeople();

        var response = act(ALICE, body);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains(why);
        assertThat(console.log.order()).isEmpty();
    }

    @Test
    @DisplayName("OPS-05: reasons without end, and actions without end, are refused")
    void isBounded() throws Exception {
        startWithPeople();

        assertThat(act(ALICE, RESTART.replace("new", "n".repeat(501))).body())
                .contains("longer than 500");
        var large = action(RESTART.replace("new", "n".repeat(1 << 20)));
        try (var once = HttpClient.newHttpClient()) { // Its connection is closed after that.
            var request = large.header("Authorization", "Bearer " + ALICE).build();
            assertThat(once.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(413);
        }
        int refused = 0;
        for (int i = 0; i < 50; i++) {
            refused += act(ALICE, "{}").statusCode() == 429 ? 1 : 0;
        }
        assertThat(refused).isEqualTo(50 - ActionDesk.LIMIT.burst() + 2);
    }

    @Test
    @DisplayName("OPS-05: who is refused before the request is read hears that the connection ends")
    void saysThatTheConnectionEnds() throws Exception {
        startWithPeople();
        var head =
                "POST /console/api/actions HTTP/1.1\r\nHost: "
                        + console.address()
                        + "\r\nAuthorization: Bearer "
                        + BOB
                        + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";

        try (var socket = new Socket(console.address().host(), console.address().port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(head.getBytes(US_ASCII)); // The body never comes.
            var response = new String(socket.getInputStream().readAllBytes(), UTF_8);

            assertThat(response).startsWith("HTTP/1.1 403 ").contains("\r\nConnection: close\r\n");
        }
    }

    @Test
    @DisplayName("OPS-05: what cannot be recorded is not done")
    void doesNothingUnrecorded() throws Exception {
        startWithPeople();
        console.log.refuseRecords("The topic mcp.audit does not exist");

        var response = act(ALICE, RESTART);

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).contains("mcp.audit does not exist");
        assertThat(console.log.commands()).isEmpty();
        assertThat(console.log.openResults()).isZero();
    }

    private HttpResponse<String> stop(String token, String requestId) throws Exception {
        return console.send(
                console.request("/console/api/actions?id=" + requestId)
                        .header("Authorization", "Bearer " + token)
                        .DELETE());
    }

    @Test
    @DisplayName("OPS-05: whoever may do an action may stop it, and no page of elsewhere does")
    void stops() throws Exception {
        startWithPeople();
        console.log.holdCommandsAfter(0);
        var begun = act(ALICE, RESTART);
        var id = ServedConsole.json(begun).get("request_id").asString();
        console.log.awaitHeld();

        assertThat(stop(BOB, id).statusCode()).isEqualTo(403);
        assertThat(stop(ALICE, "another").statusCode()).isEqualTo(404);
        var cookie = console.login(ALICE).headers().firstValue("Set-Cookie").orElseThrow();
        var foreign =
                console.request("/console/api/actions?id=" + id)
                        .header("Cookie", cookie.substring(0, cookie.indexOf(';')))
                        .header("Sec-Fetch-Site", "same-site")
                        .DELETE();
        assertThat(console.send(foreign).statusCode()).isEqualTo(403);
        assertThat(console.log.order()).containsExactly("audit accepted", "command restart");
        assertThat(underWay(BOB)).isEmpty();
        assertThat(underWay(ALICE)).containsExactly(id);
        assertThat(stop(ALICE, id).statusCode()).isEqualTo(200);

        assertThat(ended(begun).get("problem").asString()).startsWith("Stopped by alice.");
        assertThat(underWay(ALICE)).isEmpty();
        assertThat(stop(ALICE, id).statusCode()).isEqualTo(200);
        // Of the stop alone: the command runs.
        awaitWritten("audit accepted", "command restart", "audit failed");
        var audit = console.log.audits().getLast();
        assertThat(audit.requestId()).isEqualTo(id);
        assertThat(audit.actor()).isEqualTo("alice");
        assertThat(audit.processId()).isNull();
        assertThat(audit.error()).isEqualTo("Stopped by alice. At most 1 of 1 left.");
    }

    /** A stop waits for its record only so long. */
    private void awaitWritten(String... order) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(console.log.order()).containsExactly(order));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("OPS-05: a stop that cannot be recorded, or not soon, is made all the same")
    void stopsUnrecorded(boolean refused) throws Exception {
        startWithPeople();
        console.log.holdCommandsAfter(0);
        var begun = act(ALICE, RESTART);
        console.log.awaitHeld();
        if (refused) {
            console.log.refuseRecords("no leader");
        } else {
            console.log.holdRecording();
        }

        var id = ServedConsole.json(begun).get("request_id").asString();
        assertThat(stop(ALICE, id).statusCode()).isEqualTo(200);

        assertThat(ended(begun).get("problem").asString()).startsWith("Stopped by alice.");
    }

    @Test
    @DisplayName("OPS-05: who asked hears who stopped it while it was recorded")
    void tellsWhoStoppedWhatBegins() throws Exception {
        startWithPeople();
        console.log.holdRecording();
        var answer = CompletableFuture.supplyAsync(() -> unchecked(() -> act(ALICE, RESTART)));
        console.log.awaitHeld();

        assertThat(stop(ALICE, underWay(ALICE).getFirst()).statusCode()).isEqualTo(200);

        assertThat(answer.get(30, TimeUnit.SECONDS).body())
                .contains("Stopped by alice. Nothing was done.");
        assertThat(console.log.commands()).isEmpty();
    }

    @Test
    void listsNothingThatAnErrorEnded() throws Exception {
        startWithPeople();
        console.log.breakCommands();

        assertThat(act(ALICE, RESTART).statusCode()).isEqualTo(202);

        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> underWay(ALICE).isEmpty());
    }

    private List<String> underWay(String token) throws Exception {
        var answer =
                console.send(
                        console.request("/console/api/actions")
                                .header("Authorization", "Bearer " + token));
        return ServedConsole.json(answer)
                .get("actions")
                .valueStream()
                .map(run -> run.get("request_id").asString())
                .toList();
    }

    @Test
    @DisplayName("OPS-05: a gateway that is stopped while it records an action waits for its end")
    void waitsForWhatIsJustRecorded() throws Exception {
        startWithPeople();
        console.log.holdRecording();
        var answer = CompletableFuture.supplyAsync(() -> unchecked(() -> act(ALICE, RESTART)));
        console.log.awaitHeld();

        console.endActions();

        assertThat(console.log.order()).containsExactly("audit accepted", "audit failed");
        assertThat(console.log.openResults()).isZero();
        var refused = answer.get(30, TimeUnit.SECONDS);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("The gateway ends. Nothing was done.");
    }

    private static <T> T unchecked(Callable<T> asked) {
        try {
            return asked.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void recordsThatACommandCouldNotBeSent() throws Exception {
        startWithPeople();
        console.log.refuseCommands("no broker");

        var progress = ended(act(ALICE, RESTART));

        assertThat(progress.get("problem").asString()).contains("no broker");
        assertThat(console.log.order()).containsExactly("audit accepted", "audit failed");
    }
}
