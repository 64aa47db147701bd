package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Quarantine;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-05: calls in rounds, with a real server of the modern era")
final class RoundsTest {
    private static final String YES = "{\"room\":{\"action\":\"accept\",\"content\":{\"n\":1}}}";
    private static final long LONG = 60_000;

    private InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    private ServerConfig server() {
        var config =
                InstanceBench.server(
                        "a", Map.of("API_KEY", "very-secret"), "--era", "modern", "--rounds");
        bench.configure(config);
        return config;
    }

    private ToolOrder.Execute begin(ServerConfig config, Map<String, ?> arguments) {
        return begin(config, arguments, LONG, null);
    }

    /** A call of book that accepts questions; not waited for. */
    private ToolOrder.Execute begin(
            ServerConfig config,
            Map<String, ?> arguments,
            long inputMs,
            @Nullable HeldQuestion from) {
        var path = config.serverSlug() + ":book";
        var plain = bench.request(config, "tools/call", path, arguments);
        var order = InstanceBench.order(plain, plain.request().acceptingInput(inputMs), LONG, from);
        assertThat(bench.instances.execute(order).answered()).isNull();
        return order;
    }

    private List<CallInputRequired> asked(ServerConfig config, ToolOrder.Execute of) {
        return bench.journal(config).all(CallInputRequired.class).stream()
                .filter(each -> each.requestId().equals(of.request().requestId()))
                .toList();
    }

    private CallInputRequired question(ServerConfig config, ToolOrder.Execute of, int number) {
        await().atMost(InstanceBench.PATIENCE).until(() -> asked(config, of).size() >= number);
        return asked(config, of).get(number - 1);
    }

    private HeldQuestion held(ServerConfig config, ToolOrder.Execute of) {
        question(config, of, 1);
        return Objects.requireNonNull(
                bench.journal(config).held.get(of.request().requestId()), "it is held");
    }

    private ToolResult respond(ServerConfig config, ToolOrder.Execute to, String inputId) {
        return respond(config, to, inputId, YES);
    }

    private ToolResult respond(
            ServerConfig config, ToolOrder.Execute to, String inputId, String responses) {
        var plain = bench.request(config, "tools/list", null, null);
        var request =
                ToolRequest.respond(
                        plain.request().requestId(),
                        new RecordKey(config.teamId(), config.userId()),
                        to.request().requestId(),
                        inputId,
                        RawJson.of(responses),
                        null);
        return bench.perform(InstanceBench.order(plain, request, null, null));
    }

    private JsonNode told(ToolOrder.Execute call) {
        var result = bench.result(call);
        assertThat(result.error()).isNull();
        assertThat(result.result()).isNotNull();
        var text = Json.tree(result.result().bytes()).at("/content/0/text").asString("");
        return Json.tree(RawJson.of(text).bytes());
    }

    private static String message(ToolResult result) {
        assertThat(result.error()).isNotNull();
        return result.error().message();
    }

    private @Nullable ErrorCode code(ToolOrder.Execute call) {
        var error = bench.result(call).error();
        return error == null ? null : error.code();
    }

    private void assertUnknown(ToolOrder.Execute call, String why) {
        var error = bench.result(call).error();
        assertThat(error).isNotNull();
        assertThat(error.code()).as("%s", error).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(error.message()).contains(why);
        assertThat(error.retryable()).isFalse();
    }

    @Test
    @DisplayName("a question is told without the state, and the next round has both, once")
    void asks() {
        var config = server();
        var call = begin(config, Map.of("state", 10));

        var question = question(config, call, 1);
        assertThat(question.requests().text())
                .startsWith("{\"room\":{\"method\":\"elicitation/create\",\"params\":")
                .contains("Which? ***")
                .doesNotContain("round");
        assertThat(held(config, call).requestState()).contains("\"round\":1");
        assertThat(respond(config, call, question.inputId()).error()).isNull();

        var told = told(call);
        assertThat(told.at("/told/0/content/n").asInt(0)).isEqualTo(1);
        assertThat(told.path("booked").asInt(0)).isEqualTo(2);
        assertThat(bench.journal(config).held).isEmpty();
        assertThat(bench.journal(config).results)
                .filteredOn(each -> each.requestId().equals(call.request().requestId()))
                .hasSize(1);
        assertThat(message(respond(config, call, question.inputId()))).contains("answered before");
        var record = bench.text(config, "record", Map.of());
        assertThat(record).contains("inputResponses", "\\\"elicitation\\\":{\\\"form\\\":{}");
    }

    @Test
    @DisplayName("there may be several rounds, and the server may want to be asked once more")
    void goesOn() {
        var config = server();
        var call = begin(config, Map.of("rounds", 3, "idle", 1));

        for (int round = 1; round <= 3; round++) {
            respond(config, call, question(config, call, round).inputId());
        }

        assertThat(told(call).path("told")).hasSize(3);
        assertThat(told(call).path("booked").asInt(0)).isEqualTo(5);
    }

    @Test
    @DisplayName("who accepts no questions is asked none, and the server is told so")
    void asksNobodyElse() {
        var config = server();

        var error = bench.call(config, "book", Map.of()).error();
        assertThat(error).isNotNull();
        assertThat(error.code()).isEqualTo(ErrorCode.SERVER_ERROR);
        assertThat(error.message()).contains("name input in accepts");
        assertThat(bench.text(config, "record", Map.of())).doesNotContain("elicitation");
    }

    @Test
    @DisplayName("it is bounded: size, methods, names with secrets, rounds")
    void isBounded() {
        var config = server();
        for (var wrong :
                List.<Map<String, Object>>of(
                        Map.of("bytes", 1 << 20),
                        Map.of("state", 1 << 20),
                        Map.of("method", "roots/list"),
                        Map.of("name", "very-secret"))) {
            var error = bench.result(begin(config, wrong)).error();
            assertThat(error).isNotNull();
            assertThat(error.code()).isEqualTo(ErrorCode.SERVER_ERROR);
            assertThat(error.message()).doesNotContain("very-secret", "roots", "xxxx");
        }
        var call = begin(config, Map.of("rounds", 1_000));
        for (int round = 1; round <= CallRounds.MOST; round++) {
            respond(config, call, question(config, call, round).inputId());
        }
        assertThat(message(bench.result(call))).contains("more often than 50 times");
        assertThat(asked(config, call)).hasSize(CallRounds.MOST);
    }

    @Test
    @DisplayName("CAL-07: nobody answers: the call ends in time, and the next one is served")
    void expires() {
        var config = server();

        var call = begin(config, Map.of(), 300, null);

        assertThat(code(call)).isEqualTo(ErrorCode.INPUT_TIMEOUT);
        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");
    }

    @Test
    @DisplayName("a question outlives its process: the next round goes to the next one")
    void outlivesItsProcess() {
        var config = server();
        var call = begin(config, Map.of());
        var id = question(config, call, 1).inputId();
        var pid = bench.snapshot(config).pid();

        bench.call(config, "crash", Map.of("code", 3));
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () -> {
                            var now = bench.snapshot(config).pid();
                            return now != null && !now.equals(pid);
                        });
        assertThat(respond(config, call, id).error()).isNull();

        var told = told(call);
        assertThat(told.path("booked").asInt(0)).isEqualTo(1);
        assertThat(told.path("told")).hasSize(1);
    }

    @Test
    @DisplayName("a round that its process does not survive ends the call")
    void crashesInARound() {
        var config = server();
        var call = begin(config, Map.of("ms", 60_000));
        respond(config, call, question(config, call, 1).inputId());
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.text(config, "record", Map.of()).contains("inputResponses"));

        bench.call(config, "crash", Map.of("code", 3));

        assertThat(code(call)).isEqualTo(ErrorCode.CRASHED);
    }

    @Test
    @DisplayName("a call goes on from a question of another worker, which is not told again")
    void resumes() {
        var config = server();
        var first = begin(config, Map.of());
        var from = held(config, first);
        bench.instances.cancel(cancellation(config, first));
        assertThat(code(first)).isEqualTo(ErrorCode.CANCELLED);

        var call = begin(config, Map.of(), LONG, from);
        assertThat(held(bench.journal(config), call).requestState()).isEqualTo(from.requestState());
        assertThat(respond(config, call, from.inputId(), "{}").error()).isNotNull();
        assertThat(respond(config, call, from.inputId()).error()).isNull();

        var told = told(call);
        assertThat(told.path("told")).hasSize(1);
        assertThat(told.path("booked").asInt(0)).as("two rounds in all").isEqualTo(2);
        assertThat(asked(config, call)).isEmpty();
    }

    @Test
    @DisplayName("so it may while its server is in quarantine, and is served after it")
    void resumesInQuarantine() {
        var config = server();
        var from = held(config, begin(config, Map.of()));
        bench.quarantine(config, null, new Quarantine("the worker died", false));

        var call = begin(config, Map.of(), LONG, from);
        assertThat(respond(config, call, from.inputId()).error()).isNull();
        bench.apply(config, Cause.RESTORED);

        assertThat(told(call).path("told")).hasSize(1);
    }

    @Test
    @DisplayName("a later round is sent to no server that would take it for the first one")
    void isSentToNoOlderServer() {
        var config = server();
        var from = held(config, begin(config, Map.of()));
        var older = InstanceBench.server("b", Map.of("API_KEY", "very-secret"), "--rounds");
        bench.configure(older);

        var call = begin(older, Map.of(), LONG, ofConfig(from, bench.snapshot(older).configHash()));
        assertThat(respond(older, call, from.inputId()).error()).isNull();

        assertThat(message(bench.result(call))).contains("no longer speaks");
        assertThat(bench.text(older, "record", Map.of())).doesNotContain("book");
    }

    private static HeldQuestion held(RecordingJournal journal, ToolOrder.Execute call) {
        return Objects.requireNonNull(journal.held.get(call.request().requestId()));
    }

    private static ToolOrder.Cancel cancellation(ServerConfig config, ToolOrder.Execute of) {
        return new ToolOrder.Cancel(1, of.request().requestId(), config.teamId(), config.userId());
    }

    @Test
    @DisplayName("so it may be cancelled at once, and expires when the question does")
    void endsWhileItWaits() {
        var config = server();
        var from = held(config, begin(config, Map.of()));

        var call = begin(config, Map.of(), LONG, from);
        assertThat(bench.instances.cancel(cancellation(config, call)).found()).isTrue();
        assertThat(code(call)).isEqualTo(ErrorCode.CANCELLED);

        for (long ms : new long[] {-1_000, 300}) {
            var late = begin(config, Map.of(), LONG, expiring(from, Instant.now().plusMillis(ms)));
            assertThat(code(late)).isEqualTo(ErrorCode.INPUT_TIMEOUT);
        }
    }

    private static HeldQuestion ofConfig(HeldQuestion from, String configHash) {
        return new HeldQuestion(
                from.inputId(),
                from.methods(),
                from.requestState(),
                from.rounds(),
                configHash,
                from.expiresAt(),
                from.inputUntil(),
                from.leftMs(),
                from.mostLeftMs());
    }

    private static HeldQuestion expiring(HeldQuestion from, Instant at) {
        return new HeldQuestion(
                from.inputId(),
                from.methods(),
                from.requestState(),
                from.rounds(),
                from.configHash(),
                at,
                at,
                from.leftMs(),
                from.mostLeftMs());
    }

    @Test
    @DisplayName("what changes between rounds ends it, and never as if it had not run")
    void changes() {
        var config = server();
        var other = begin(config, Map.of());
        var otherId = question(config, other, 1).inputId();
        bench.configure(
                InstanceBench.server(
                        "a", Map.of("API_KEY", "other"), "--era", "modern", "--rounds"));
        respond(config, other, otherId);
        assertUnknown(other, "configuration was changed");

        var disabled = begin(config, Map.of());
        var disabledId = question(config, disabled, 1).inputId();
        bench.settle(
                bench.instances.switchTool(
                        new InstanceOrder.SwitchTool(
                                bench.order(config.processId()), "book", true)));
        respond(config, disabled, disabledId);
        assertUnknown(disabled, "disabled");
        bench.settle(
                bench.instances.switchTool(
                        new InstanceOrder.SwitchTool(
                                bench.order(config.processId()), "book", false)));

        var removed = begin(config, Map.of());
        question(config, removed, 1);
        bench.settle(bench.instances.remove(bench.order(config.processId())));
        assertUnknown(removed, "removed");
    }

    @Test
    @DisplayName("a worker that gives the instance up leaves it to the next, without an answer")
    void isHandedOver() {
        var config = server();
        var call = begin(config, Map.of());
        held(config, call);
        var answered = begin(config, Map.of("ms", 60_000));
        respond(config, answered, question(config, answered, 1).inputId());

        bench.instances.terminateAll(Duration.ofSeconds(60));

        assertThat(bench.journal(config).handedOver).containsExactly(call.request().requestId());
        assertThat(bench.journal(config).held).containsOnlyKeys(call.request().requestId());
        assertThat(bench.journal(config).result(call.request().requestId())).isNull();
        assertThat(code(answered)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("where its gateway is too old for that, the outcome is unknown")
    void isNotHandedOver() {
        var config = server();
        var call = begin(config, Map.of());
        question(config, call, 1);
        bench.journal(config).protocol = LinkVersions.SERVER_EVENTS;

        bench.instances.terminateAll(Duration.ofSeconds(5));

        assertUnknown(call, "no longer runs");
    }

    @Test
    @DisplayName("which is its gateway's when the instance is given up, not when it asked")
    void isHandedOverByTheLastGateway() {
        var config = server();
        var journal = bench.journal(config);
        journal.protocol = LinkVersions.SERVER_EVENTS;
        var call = begin(config, Map.of());
        question(config, call, 1);
        journal.protocol = LinkVersions.SPOKEN.greatest();

        bench.instances.terminateAll(Duration.ofSeconds(60));

        assertThat(journal.handedOver).containsExactly(call.request().requestId());
    }

    @Test
    @DisplayName(
            "a cancellation that is taken while it leaves ends it, and none is taken after that")
    void isCancelledWhileItLeaves() {
        var config = server();
        var journal = bench.journal(config);
        var call = begin(config, Map.of());
        question(config, call, 1);
        var taken = new CopyOnWriteArrayList<Boolean>();
        journal.leaving =
                () -> taken.add(bench.instances.cancel(cancellation(config, call)).found());

        bench.instances.terminateAll(Duration.ofSeconds(5));

        assertThat(code(call)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(taken).containsExactly(true);
        assertThat(journal.handedOver).isEmpty();
    }

    @Test
    @DisplayName("nor is one taken of a call that is handed over")
    void isNotCancelledAfterItLeft() {
        var config = server();
        var journal = bench.journal(config);
        var call = begin(config, Map.of());
        question(config, call, 1);
        var taken = new CopyOnWriteArrayList<Boolean>();
        journal.left = () -> taken.add(bench.instances.cancel(cancellation(config, call)).found());

        bench.instances.terminateAll(Duration.ofSeconds(60));

        assertThat(taken).containsExactly(false);
        assertThat(journal.handedOver).containsExactly(call.request().requestId());
        assertThat(journal.result(call.request().requestId())).isNull();
    }

    @Test
    @DisplayName("one that goes on is taken where there is no room for a new one")
    void resumesWhereItIsFull() {
        bench.close();
        bench = new InstanceBench(Map.of("tool.max-calls", "1"));
        var config = server();
        var from = held(config, begin(config, Map.of()));
        var more = bench.call(config, "book", Map.of()).error();
        assertThat(more).isNotNull();
        assertThat(more.code()).isEqualTo(ErrorCode.OVERLOADED);

        var call = begin(config, Map.of(), LONG, from);

        assertThat(respond(config, call, from.inputId()).error()).isNull();
        assertThat(told(call).path("told")).hasSize(1);
    }
}
