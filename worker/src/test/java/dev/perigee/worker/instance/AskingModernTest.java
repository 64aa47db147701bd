package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-05: calls during which a real server of the modern era asks something")
final class AskingModernTest {
    private static final String YES = "{\"name\":{\"action\":\"accept\"},\"roots\":{}}";
    private static final String ACCEPT = "{\"name\":{\"action\":\"accept\",\"content\":{}}}";

    private static final String DECLARED = "clientCapabilities\":{\"elicitation\"";

    private final Bench bench = new Bench();
    private int asked;

    @AfterEach
    void end() {
        bench.close();
    }

    private ServerConfig server() {
        var config = Bench.server("a", "--era", "modern", "--talk");
        bench.configure(config);
        return config;
    }

    private ToolOrder.Execute begin(ServerConfig config, Map<String, ?> arguments, long inputMs) {
        var path = config.serverSlug() + ":rounds";
        var plain = bench.request(config, "tools/call", path, arguments);
        var order = with(plain, plain.request().acceptingInput(inputMs), 60_000L);
        assertThat(bench.instances.execute(order).answered()).isNull();
        return order;
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private static ToolOrder.Execute with(
            ToolOrder.Execute plain, ToolRequest request, @Nullable Long allMs) {
        return new ToolOrder.Execute(
                plain.partition(),
                plain.origin(),
                plain.processId(),
                request,
                plain.deadline(),
                null,
                null,
                null,
                null,
                allMs);
    }

    /** The next question that was not looked at. */
    private CallInputRequired question(ServerConfig config) {
        int number = asked++;
        await().atMost(Bench.PATIENCE)
                .until(() -> bench.journal(config).all(CallInputRequired.class).size() > number);
        return bench.journal(config).all(CallInputRequired.class).get(number);
    }

    private ToolResult respond(ServerConfig config, CallInputRequired question, String responses) {
        var plain = bench.request(config, "tools/list", null, null);
        var request =
                ToolRequest.respond(
                        plain.request().requestId(),
                        new RecordKey(config.teamId(), config.userId()),
                        question.requestId(),
                        question.inputId(),
                        RawJson.of(responses),
                        null);
        return bench.perform(with(plain, request, null));
    }

    private static String text(ToolResult result) {
        assertThat(result.error()).isNull();
        assertThat(result.result()).isNotNull();
        return Json.tree(result.result().bytes()).at("/content/0/text").asString();
    }

    private static @Nullable ErrorCode code(ToolResult result) {
        return result.error() == null ? null : result.error().code();
    }

    /** What the server read. */
    private String record(ServerConfig config) {
        return bench.text(config, "record", Map.of()).replace("\\", "");
    }

    private int calls(ServerConfig config) {
        return record(config).split("\"name\":\"rounds\"", -1).length - 1;
    }

    @Test
    @DisplayName("each round is asked and called once, with the server's state and the responses")
    void goesRound() {
        var config = server();
        var call = begin(config, Map.of("rounds", 2), 60_000);

        var first = question(config);
        assertThat(first.requests().text())
                .contains("\"name\":{\"method\":\"elicitation/create\"", "Round 0")
                .doesNotContain("roots");
        assertThat(code(respond(config, first, YES))).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(code(respond(config, first, ACCEPT))).isNull();
        var second = question(config);
        assertThat(second.inputId()).isNotEqualTo(first.inputId());
        assertThat(code(respond(config, first, ACCEPT))).isEqualTo(ErrorCode.INVALID_REQUEST);
        respond(config, second, ACCEPT);

        var said = "{\"roots\":{\"roots\":[]},\"name\":{\"action\":\"accept\",\"content\":{}}}";
        assertThat(text(bench.result(call))).isEqualTo("[" + said + "," + said + "]");
        assertThat(calls(config)).isEqualTo(3);
    }

    @Test
    @DisplayName("its question outlives its process: the next one has the responses")
    void outlivesItsProcess() {
        var config = server();
        var call = begin(config, Map.of("rounds", 1), 60_000);
        var question = question(config);

        bench.call(config, "crash", Map.of("code", 3));
        assertThat(code(respond(config, question, ACCEPT))).isNull();

        assertThat(text(bench.result(call))).contains("accept");
        assertThat(calls(config)).isEqualTo(1);
    }

    @Test
    @DisplayName("and its worker: another one goes on, and calls the next round only")
    void outlivesItsWorker() {
        var config = server();
        var call = begin(config, Map.of("rounds", 1), 60_000);
        var question = question(config);
        var resume = bench.journal(config).resumes.get(question.inputId());
        assertThat(resume).isNotNull();

        try (var other = new Bench()) {
            other.configure(config);
            for (int i = 0; i < 50; i++) {
                other.request(config, "tools/list", null, null); // Whose ids are others now.
            }
            other.instances.execute(resumed(call, Json.raw(resume)));
            var plain = other.request(config, "tools/list", null, null);
            var response =
                    ToolRequest.respond(
                            "a-1",
                            new RecordKey(config.teamId(), config.userId()),
                            question.requestId(),
                            question.inputId(),
                            RawJson.of(ACCEPT),
                            null);
            assertThat(code(other.perform(with(plain, response, null)))).isNull();

            assertThat(text(other.result(call))).contains("accept", "roots");
            assertThat(other.journal(config).all(CallInputRequired.class)).isEmpty();
            var seen = other.text(config, "record", Map.of()).replace("\\", "");
            assertThat(seen.split("\"name\":\"rounds\"", -1)).hasSize(2);

            var expired = begin(config, Map.of("rounds", 1), 300);
            var late = question(config);
            var lateResume = bench.journal(config).resumes.get(late.inputId());
            assertThat(lateResume).isNotNull();
            other.instances.execute(resumed(expired, Json.raw(lateResume)));
            assertThat(code(other.result(expired))).isEqualTo(ErrorCode.INPUT_TIMEOUT);
        }
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private static ToolOrder.Execute resumed(ToolOrder.Execute call, RawJson resume) {
        return new ToolOrder.Execute(
                call.partition(),
                call.origin(),
                call.processId(),
                call.request(),
                call.deadline(),
                null,
                null,
                null,
                null,
                call.inputMs(),
                resume);
    }

    @Test
    @DisplayName("who accepts nothing declares nothing, and gets what the server says")
    void asksNobodyElse() {
        var config = server();

        var result = bench.call(config, "rounds", Map.of("rounds", 1));

        assertThat(result.result()).isNotNull();
        assertThat(result.result().text()).contains("input_required", "requestState");
        assertThat(record(config)).contains("Capabilities\":{}").doesNotContain(DECLARED);
        begin(config, Map.of("rounds", 1), 60_000);
        question(config);
        assertThat(record(config)).contains(DECLARED);
    }

    @Test
    @DisplayName("CAL-07: nobody answers, or the server is removed meanwhile: the call ends")
    void ends() {
        var config = server();
        var call = begin(config, Map.of("rounds", 1), 300);
        assertThat(code(bench.result(call))).isEqualTo(ErrorCode.INPUT_TIMEOUT);
        question(config);

        var other = begin(config, Map.of("rounds", 1), 60_000);
        question(config);
        bench.settle(bench.instances.stop(bench.order(config.processId())));
        assertThat(code(bench.result(other))).isEqualTo(ErrorCode.STOPPED);
    }

    @Test
    @DisplayName("questions are bounded: in size, in number, in what they may be")
    void isBounded() {
        var config = server();

        var wrong =
                List.<Map<String, ?>>of(
                        Map.of("rounds", 1, "bytes", 1 << 20),
                        Map.of("rounds", 1, "method", "sampling/other"),
                        Map.of("rounds", 1_000_000, "bare", true));
        for (var arguments : wrong) {
            assertThat(code(bench.result(begin(config, arguments, 60_000))))
                    .isEqualTo(ErrorCode.SERVER_ERROR);
        }
        assertThat(calls(config)).isEqualTo(2 + CallInput.MOST + 1);
        assertThat(text(bench.result(begin(config, Map.of("rounds", 3, "bare", true), 60_000))))
                .isEqualTo("[]");
    }
}
