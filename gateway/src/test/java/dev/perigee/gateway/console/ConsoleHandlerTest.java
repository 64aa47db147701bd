package dev.perigee.gateway.console;

import static dev.perigee.gateway.console.ConsoleEvents.NOON;
import static dev.perigee.gateway.console.ConsoleEvents.logs;
import static dev.perigee.gateway.console.ConsoleEvents.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.admin.AdminServer;
import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

final class ConsoleHandlerTest {
    private static final String TOKEN = "t0ken";

    private final LinkedBlockingQueue<Board> boards = new LinkedBlockingQueue<>();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final RecordedActions log = new RecordedActions();
    private volatile Instant now = NOON;
    private ConsoleTokens tokens = ConsoleTokens.NONE;
    private ActionRole role = ActionRole.READ;
    private HostPort address = new HostPort("127.0.0.1", 0);

    private void start(@Nullable String token, boolean open) throws Exception {
        var watch =
                new FleetWatch(
                        2,
                        Duration.ofMinutes(1),
                        () -> new Board(1 << 20, NOON),
                        board -> {
                            boards.add(board);
                            board.event(status("a", 1, ServerStatus.ONLINE), null, 3);
                            board.event(logs("a", 2, "<script>alert(1)</script>"), null, 3);
                            board.fleet(
                                    new FleetView(
                                            "g1",
                                            List.of(),
                                            true,
                                            List.of(),
                                            List.of(),
                                            List.of(),
                                            null,
                                            board.known().reading()));
                            board.caughtUp();
                            return () -> {};
                        });
        var access = new AdminAccess(token, open, false);
        var desk = new ActionDesk("g1", log, new WorkerDrains(null), () -> now);
        parts.add(desk);
        var handler =
                new ConsoleHandler(
                        "g1",
                        new ConsoleAccess(access, new LoginSessions(() -> now), tokens, role),
                        watch,
                        new ActionPages(desk, watch),
                        new CallFinder(
                                () -> {
                                    throw new KafkaException("no broker");
                                },
                                new TopicNames(TopicNames.DEFAULT_PREFIX),
                                Duration.ofHours(1),
                                () -> NOON),
                        Duration.ofMillis(100));
        var server =
                AdminServer.start(
                        address,
                        access,
                        List::of,
                        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                        handler);
        address = server.address();
        parts.add(server);
        parts.add(watch);
    }

    @AfterEach
    void stop() throws Exception {
        for (var part : parts.reversed()) {
            part.close();
        }
        http.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpResponse<String> login(String token) throws Exception {
        return send(
                request("/console/api/login")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"token\":\"" + token + "\"}")));
    }

    private static JsonNode json(HttpResponse<String> response) {
        return Json.tree(response.body().getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/console/", "/console/app.js", "/console/style.css", "/console/icon.svg"})
    void servesThePageUnderAStrictPolicy(String path) throws Exception {
        start(null, true);

        var response = get(path);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }

    @Test
    void leadsToThePageAndNowhereElse() throws Exception {
        start(null, true);

        assertThat(get("/console").headers().firstValue("Location")).contains("console/");
        assertThat(get("/console/../../etc/passwd").statusCode()).isBetween(400, 404);
        assertThat(get("/console/Console.class").statusCode()).isEqualTo(404);
        assertThat(get("/consoles").statusCode()).isEqualTo(404);
        assertThat(send(request("/console/").DELETE()).statusCode()).isEqualTo(405);
        assertThat(send(request("/console/api/fleet").DELETE()).statusCode()).isEqualTo(405);
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void readsNothingUntilSomebodyWatches() throws Exception {
        start(null, true);
        assertThat(get("/console/").statusCode()).isEqualTo(200);
        assertThat(get("/console/api/session").statusCode()).isEqualTo(200);
        assertThat(boards).isEmpty();

        assertThat(json(get("/console/api/instances")).get(0).get("process_id").asString())
                .isEqualTo("a");
        assertThat(json(get("/console/api/fleet")).get("gateway_id").asString()).isEqualTo("g1");
        assertThat(json(get("/console/api/instance?id=a")).at("/logs/entries/0/message").asString())
                .isEqualTo("<script>alert(1)</script>");
        assertThat(boards).hasSize(1);
    }

    @Test
    void showsNothingWithoutTheToken() throws Exception {
        start(TOKEN, true);

        for (var path : List.of("session", "fleet", "instances", "instance?id=a", "stream")) {
            var response = get("/console/api/" + path);
            assertThat(response.statusCode()).as(path).isEqualTo(401);
            assertThat(response.body()).doesNotContain("worker-1").contains("admin.token");
        }
        assertThat(boards).isEmpty();
        assertThat(
                        send(request("/console/api/fleet")
                                        .header("Authorization", "Bearer " + TOKEN))
                                .statusCode())
                .isEqualTo(200);
    }

    @Test
    void isNotForOthersWhereThereIsNoToken() throws Exception {
        start(null, false);

        assertThat(get("/console/api/fleet").statusCode()).isEqualTo(403);
        assertThat(login("anything").statusCode()).isEqualTo(403);
    }

    @Test
    void letsABrowserInThatShowsTheToken() throws Exception {
        start(TOKEN, true);
        assertThat(login("wrong").statusCode()).isEqualTo(401);
        assertThat(login("wrong").headers().firstValue("Set-Cookie")).isEmpty();

        var cookie = login(TOKEN).headers().firstValue("Set-Cookie").orElseThrow();

        assertThat(cookie)
                .contains("HttpOnly", "SameSite=Strict", "Path=/console", "Max-Age=28800")
                .doesNotContain(TOKEN);
        var held = cookie.substring(0, cookie.indexOf(';'));
        assertThat(send(request("/console/api/fleet").header("Cookie", held)).statusCode())
                .isEqualTo(200);
        // The session is for the console only.
        assertThat(send(request("/metrics").header("Cookie", held)).statusCode()).isEqualTo(401);
        now = NOON.plus(LoginSessions.LIFETIME);
        assertThat(send(request("/console/api/fleet").header("Cookie", held)).statusCode())
                .isEqualTo(401);
    }

    @Test
    void forgetsABrowserThatLogsOut() throws Exception {
        start(TOKEN, true);
        var cookie = login(TOKEN).headers().firstValue("Set-Cookie").orElseThrow();
        var held = cookie.substring(0, cookie.indexOf(';'));

        var _ =
                send(
                        request("/console/api/logout")
                                .header("Cookie", held)
                                .POST(HttpRequest.BodyPublishers.noBody()));

        assertThat(send(request("/console/api/fleet").header("Cookie", held)).statusCode())
                .isEqualTo(401);
    }

    @Test
    void tellsWhatChangesAsItDoes() throws Exception {
        start(null, true);
        try (var stream = new Events("/console/api/stream?instance=a", null)) {
            var first = stream.next();
            assertThat(first.get("reset").asBoolean()).isTrue();
            assertThat(first.at("/instances/0/status").asString()).isEqualTo("online");
            assertThat(first.at("/detail/logs/entries").size()).isEqualTo(1);

            board().event(logs("a", 3, "live"), null, 3);
            var second = stream.next();
            assertThat(second.at("/detail/logs/entries/0/message").asString()).isEqualTo("live");
            assertThat(second.get("instances").size()).isZero();
        }
    }

    @Test
    void goesOnWhereABrowserWasCutOff() throws Exception {
        start(null, true);
        String cursor;
        try (var stream = new Events("/console/api/stream?instance=a", null)) {
            cursor = stream.next().get("cursor").asString();
        }
        board().event(logs("a", 3, "meanwhile"), null, 3);

        try (var stream = new Events("/console/api/stream?instance=a", cursor)) {
            var next = stream.next();
            assertThat(next.get("reset").asBoolean()).isFalse();
            assertThat(next.at("/detail/logs/entries").size()).isEqualTo(1);
            assertThat(next.at("/detail/logs/entries/0/message").asString()).isEqualTo("meanwhile");
        }
    }

    @Test
    void letsOnlySoManyWatchAndMakesRoomWhenOneGoes() throws Exception {
        start(null, true);
        try (var _ = new Events("/console/api/stream", null)) {
            try (var second = new Events("/console/api/stream", null)) {
                assertThat(second.next().get("reset").asBoolean()).isTrue();
                assertThat(get("/console/api/stream").statusCode()).isEqualTo(503);
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> get("/console/api/fleet").statusCode() == 200);
        }
    }

    private static final String ALICE = "alice-0123456789abcdef";
    private static final String BOB = "bob-0123456789abcdef";

    private void startWithPeople() throws Exception {
        var parsed =
                ConsoleTokens.parse("alice operate " + ALICE + "\nbob read " + BOB + "\n# nobody");
        assertThat(parsed).isNotNull();
        tokens = parsed;
        start(TOKEN, true);
    }

    private static final String RESTART =
            "{\"action\":\"restart\",\"process_ids\":[\"a\"],\"reason\":\"new network\"}";

    private HttpRequest.Builder action(String body) {
        return request("/console/api/actions")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private HttpResponse<String> act(String token, String body) throws Exception {
        return send(action(body).header("Authorization", "Bearer " + token));
    }

    private JsonNode ended(HttpResponse<String> begun) throws Exception {
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
        var path = "/console/api/actions?id=" + json(begun).get("request_id").asString();
        var authorized = request(path).header("Authorization", "Bearer " + ALICE);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> json(send(authorized.copy())).get("done").asBoolean());
        return json(send(authorized));
    }

    @Test
    @DisplayName("OPS-05: an action is recorded with who and why before its command is sent")
    void recordsBeforeItActs() throws Exception {
        startWithPeople();

        var progress = ended(act(ALICE, RESTART));

        assertThat(log.order()).containsExactly("audit accepted", "command restart");
        var audit = log.audits().getFirst();
        assertThat(audit.actor()).isEqualTo("alice");
        assertThat(audit.role()).isEqualTo(ActionRole.OPERATE);
        assertThat(audit.reason()).isEqualTo("new network");
        assertThat(audit.processId()).isEqualTo("a");
        assertThat(audit.requestId()).isEqualTo(progress.get("request_id").asString());
        var command = log.commands().getFirst();
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

        var command = log.commands().getFirst();
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
        assertThat(log.order()).isEmpty();
        assertThat(
                        json(send(
                                        request("/console/api/session")
                                                .header("Authorization", "Bearer " + BOB)))
                                .get("role")
                                .asString())
                .isEqualTo("read");
    }

    @Test
    @DisplayName("OPS-05: a page of elsewhere cannot act with the session of a browser")
    void refusesOtherOrigins() throws Exception {
        startWithPeople();
        var cookie = login(ALICE).headers().firstValue("Set-Cookie").orElseThrow();
        var held = cookie.substring(0, cookie.indexOf(';'));
        var marked = ConsoleAccess.MARK;

        for (var foreign :
                List.of(
                        action(RESTART),
                        action(RESTART).header(marked, "1"),
                        action(RESTART).header(marked, "1").header("Origin", "http://127.0.0.1:1"),
                        action(RESTART).header(marked, "1").header("Sec-Fetch-Site", "same-site"),
                        action(RESTART).header("Origin", "http://" + address),
                        action(RESTART)
                                .setHeader("Content-Type", "text/plain")
                                .header(marked, "1")
                                .header("Origin", "http://" + address))) {
            assertThat(send(foreign.header("Cookie", held)).statusCode()).isEqualTo(403);
        }
        assertThat(log.order()).isEmpty();
        for (var own :
                List.of(
                        action(RESTART).header(marked, "1").header("Origin", "http://" + address),
                        action(RESTART)
                                .header(marked, "1")
                                .header("Sec-Fetch-Site", "same-origin"))) {
            assertThat(send(own.header("Cookie", held)).statusCode()).isEqualTo(202);
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
        assertThat(log.order()).isEmpty();
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
    @DisplayName("OPS-05: what cannot be recorded is not done")
    void doesNothingUnrecorded() throws Exception {
        startWithPeople();
        log.refuseRecords("The topic mcp.audit does not exist");

        var response = act(ALICE, RESTART);

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).contains("mcp.audit does not exist");
        assertThat(log.commands()).isEmpty();
        assertThat(log.openResults()).isZero();
    }

    @Test
    void recordsThatACommandCouldNotBeSent() throws Exception {
        startWithPeople();
        log.refuseCommands("no broker");

        var progress = ended(act(ALICE, RESTART));

        assertThat(progress.get("problem").asString()).contains("no broker");
        assertThat(log.order()).containsExactly("audit accepted", "audit failed");
    }

    private Board board() throws InterruptedException {
        var board = boards.poll(10, TimeUnit.SECONDS);
        assertThat(board).isNotNull();
        boards.add(board);
        return board;
    }

    /** Reads server-sent events as a browser does. */
    private final class Events implements AutoCloseable {
        private final HttpClient own = HttpClient.newHttpClient();
        private final BufferedReader lines;

        Events(String path, @Nullable String lastEventId) throws Exception {
            var request = request(path);
            if (lastEventId != null) {
                request.header("Last-Event-ID", lastEventId);
            }
            var response = own.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
        }

        JsonNode next() throws Exception {
            while (true) {
                var line = lines.readLine();
                assertThat(line).as("the stream goes on").isNotNull();
                if (line.startsWith("data: ")) {
                    return Json.tree(line.substring(6).getBytes(UTF_8));
                }
            }
        }

        @Override
        public void close() throws IOException {
            own.shutdownNow();
            lines.close();
        }
    }
}
