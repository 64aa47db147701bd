package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.event.EventBody.Dormant;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls during which a real server of the legacy era asks something. */
final class AskingCallTest {
    private static final String YES =
            "{\"question\":{\"action\":\"accept\",\"content\":{\"name\":\"ann\"}}}";
    private static final long LONG = 60_000;

    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    private ServerConfig server() {
        var config = InstanceBench.server("a", Map.of("API_KEY", "very-secret"), "--talk");
        bench.configure(config);
        return config;
    }

    /** A call that accepts questions; not waited for. */
    private ToolOrder.Execute begin(ServerConfig config, Map<String, ?> arguments) {
        return begin(config, arguments, Duration.ofSeconds(15), LONG, LONG);
    }

    private ToolOrder.Execute begin(
            ServerConfig config,
            Map<String, ?> arguments,
            Duration timeout,
            long inputMs,
            long allMs) {
        var path = config.serverSlug() + ":ask";
        var plain = bench.request(config, "tools/call", path, arguments, timeout);
        var order =
                InstanceBench.order(plain, plain.request().acceptingInput(inputMs), allMs, null);
        assertThat(bench.instances.execute(order).answered()).isNull();
        return order;
    }

    private CallInputRequired question(ServerConfig config, ToolOrder.Execute of) {
        return await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.journal(config).all(CallInputRequired.class).stream()
                                        .filter(
                                                each ->
                                                        each.requestId()
                                                                .equals(of.request().requestId()))
                                        .findFirst()
                                        .orElse(null),
                        Objects::nonNull);
    }

    private ToolResult respond(
            ServerConfig config, ToolOrder.Execute to, String inputId, String responses) {
        return respond(config, config.userId(), to, inputId, responses);
    }

    private ToolResult respond(
            ServerConfig config,
            String user,
            ToolOrder.Execute to,
            String inputId,
            String responses) {
        var plain = bench.request(config, "tools/list", null, null);
        var request =
                ToolRequest.respond(
                        plain.request().requestId(),
                        new RecordKey(config.teamId(), user),
                        to.request().requestId(),
                        inputId,
                        RawJson.of(responses),
                        null);
        return bench.perform(InstanceBench.order(plain, request, null, null));
    }

    private static void assertRefused(ToolResult result, String why) {
        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(result.error().message()).contains(why);
    }

    private static String text(ToolResult result) {
        assertThat(result.error()).isNull();
        assertThat(result.result()).isNotNull();
        return Json.tree(result.result().bytes()).at("/content/0/text").asString();
    }

    private static @Nullable ErrorCode code(ToolResult result) {
        return result.error() == null ? null : result.error().code();
    }

    @Test
    @DisplayName("CAL-04: a question is told, its response goes to the server, the call ends once")
    void asks() {
        var config = server();
        var call = begin(config, Map.of("message", "very-secret: which?"));

        var question = question(config, call);
        assertThat(question.requests().text())
                .startsWith("{\"question\":{\"method\":\"elicitation/create\",\"params\":")
                .contains("\"***: which?\"")
                .doesNotContain("very-secret");
        assertThat(question.toolPath()).isEqualTo("slug-a:ask");
        assertThat(question.expiresAt()).isAfter(Instant.now());
        var response = respond(config, call, question.inputId(), YES);

        assertThat(response.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(text(bench.result(call)))
                .isEqualTo("[{\"action\":\"accept\",\"content\":{\"name\":\"ann\"}}]");
        assertThat(bench.journal(config).results)
                .filteredOn(each -> each.requestId().equals(call.request().requestId()))
                .hasSize(1);
    }

    @Test
    @DisplayName("CAL-04: sampling is asked for likewise")
    void samples() {
        var config = server();
        var call = begin(config, Map.of("method", "sampling/createMessage"));

        var id = question(config, call).inputId();
        var said =
                "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"x\"},\"model\":\"m\"}";

        assertRefused(respond(config, call, id, YES), "sampling/createMessage");
        respond(config, call, id, "{\"question\":" + said + "}");
        assertThat(text(bench.result(call))).isEqualTo("[" + said + "]");
    }

    @Test
    @DisplayName("CAL-06: one response counts, the others are told why")
    void countsOne() {
        var config = server();
        var call = begin(config, Map.of("after", 1_000));
        var id = question(config, call).inputId();

        assertRefused(respond(config, "u2", call, id, YES), "No call of this user");
        assertRefused(respond(config, call, "none", YES), "did not ask");
        for (var wrong :
                new String[] {
                    "{}",
                    "{\"question\":1}",
                    "{\"question\":{\"action\":\"perhaps\"}}",
                    "{\"question\":{\"action\":\"accept\",\"content\":[]}}",
                    "{\"question\":{\"action\":\"accept\"},\"more\":{}}"
                }) {
            assertRefused(respond(config, call, id, wrong), "respons");
        }
        assertThat(code(respond(config, call, id, YES))).isNull();
        assertRefused(respond(config, call, id, YES), "answered before");

        assertThat(text(bench.result(call))).contains("ann");
        assertRefused(respond(config, call, id, YES), "answered before");
    }

    @Test
    @DisplayName("CAL-07: a question that nobody answers ends its call, and harms nobody else")
    void expires() {
        var config = server();
        var call = begin(config, Map.of(), Duration.ofSeconds(15), 300, LONG);
        var id = question(config, call).inputId();

        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");
        assertThat(code(bench.result(call))).isEqualTo(ErrorCode.INPUT_TIMEOUT);

        assertRefused(respond(config, call, id, YES), "expired");
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.text(config, "record", Map.of())
                                        .contains("notifications/cancelled"));
        assertThat(bench.text(config, "record", Map.of())).contains("-32603");
    }

    @Test
    @DisplayName("CAL-07: all questions of a call together wait so long at most")
    void boundsTheSum() {
        var config = server();

        var call = begin(config, Map.of(), Duration.ofSeconds(15), LONG, 300);

        assertThat(code(bench.result(call))).isEqualTo(ErrorCode.INPUT_TIMEOUT);
    }

    @Test
    @DisplayName("CAL-04: the deadline stands still while the question is open")
    void standsStill() {
        var config = server();
        var call = begin(config, Map.of(), Duration.ofSeconds(4), LONG, LONG);
        var id = question(config, call).inputId();
        var asked = System.nanoTime();

        await().atMost(InstanceBench.PATIENCE)
                .until(() -> System.nanoTime() - asked > Duration.ofSeconds(5).toNanos());
        respond(config, call, id, YES);

        assertThat(text(bench.result(call))).contains("ann");
    }

    @Test
    @DisplayName(
            "CAL-04: who accepts nothing is not asked, and the server is told what it was told")
    void asksNobodyElse() {
        var config = server();

        assertThat(bench.text(config, "ask", Map.of())).isEqualTo("[{\"error\":-32601}]");
        bench.journal(config).protocol = LinkVersions.CALLS_THAT_TALK;
        assertThat(text(bench.result(begin(config, Map.of())))).contains("error");

        assertThat(bench.journal(config).reaches(EventType.CALL_INPUT_REQUIRED)).isFalse();
        assertThat(bench.journal(config).all(CallInputRequired.class)).isEmpty();
    }

    @Test
    @DisplayName("Questions are bounded: in size, in number at a time and in all, by the journal")
    void isBounded() {
        var config = server();

        assertThat(text(bench.result(begin(config, Map.of("bytes", 1 << 20)))))
                .isEqualTo("[{\"error\":-32602}]");

        var call = begin(config, Map.of("n", 10_000), Duration.ofSeconds(15), 5_000, LONG);
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.journal(config).all(CallInputRequired.class).size()
                                        == CallInput.MOST_OPEN);
        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");
        assertThat(code(bench.result(call))).isEqualTo(ErrorCode.INPUT_TIMEOUT);

        bench.journal(config).full = false;
        var last = begin(config, Map.of());
        respond(config, last, question(config, last).inputId(), YES);
        assertThat(text(bench.result(last))).contains("ann");
    }

    @Test
    @DisplayName("CAL-06: a question that its server withdraws is not answered any more")
    void isWithdrawn() {
        var config = server();
        var call =
                begin(
                        config,
                        Map.of("withdraw", 200, "after", 60_000),
                        Duration.ofSeconds(3),
                        LONG,
                        LONG);
        var id = question(config, call).inputId();

        await().atMost(InstanceBench.PATIENCE)
                .untilAsserted(() -> assertRefused(respond(config, call, id, "{}"), "withdrawn"));

        assertThat(code(bench.result(call))).isEqualTo(ErrorCode.TIMEOUT);
    }

    @Test
    @DisplayName("CAL-04: a question dies with its process")
    void diesWithItsProcess() {
        var config = server();
        var call = begin(config, Map.of());
        var id = question(config, call).inputId();

        bench.call(config, "crash", Map.of("code", 3));

        assertThat(code(bench.result(call))).isEqualTo(ErrorCode.CRASHED);
        assertRefused(respond(config, call, id, YES), "ended");
    }

    @Test
    @DisplayName("CAL-04: an open question keeps its server awake, and cancel ends its call")
    void staysAwake() {
        var ahead = new AtomicReference<>(Duration.ZERO);
        try (var quick =
                new InstanceBench(
                        Map.of(
                                "idle.timeout", "1h",
                                "idle.check-interval", "50ms",
                                "idle.grace", "0s"),
                        () -> Instant.now().plus(ahead.get()))) {
            var config = InstanceBench.server("a", "--talk");
            quick.configure(config);
            var path = config.serverSlug() + ":ask";
            var plain = quick.request(config, "tools/call", path, Map.of());
            var order =
                    InstanceBench.order(plain, plain.request().acceptingInput(LONG), LONG, null);
            quick.instances.execute(order);
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> quick.journal(config).all(CallInputRequired.class).size() == 1);
            ahead.set(Duration.ofHours(2));
            var since = System.nanoTime();
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> System.nanoTime() - since > Duration.ofSeconds(1).toNanos());

            assertThat(quick.journal(config).all(Dormant.class)).isEmpty();
            quick.instances.cancel(
                    new ToolOrder.Cancel(
                            1, order.request().requestId(), config.teamId(), config.userId()));
            assertThat(code(quick.result(order))).isEqualTo(ErrorCode.CANCELLED);
        }
    }
}
