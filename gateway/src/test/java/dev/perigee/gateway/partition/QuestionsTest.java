package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.limit.RecentIds;
import dev.perigee.protocol.link.QuestionResume;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-05: questions that outlive their worker, at the gateway")
final class QuestionsTest {
    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ByteBudget budget = ByteBudget.of(1 << 20);
    private final RequestTable requests =
            new RequestTable(new RecentIds(IdBudget.ofBytes(1 << 20), Duration.ofMinutes(10)));
    private final Questions questions = new Questions(requests, new OpenArguments(budget));
    private long offsets;

    private ToolCall asking() {
        var request =
                ToolRequest.call("r", "t", "u", "s:echo", RawJson.EMPTY_OBJECT, null)
                        .acceptingInput(null);
        var call = opened(request, ToolMethod.TOOLS_CALL, MINUTE);
        go(call, CallEvent.HELD);
        questions.asked(call, resume("q", 100), NOW);
        return call;
    }

    private ToolCall response(String inputId) {
        var request =
                ToolRequest.respond(
                        "a" + offsets,
                        new RecordKey("t", "u"),
                        "r",
                        inputId,
                        RawJson.EMPTY_OBJECT,
                        null);
        return opened(request, ToolMethod.CALL_RESPOND, null);
    }

    private ToolCall opened(ToolRequest request, ToolMethod method, @Nullable Duration input) {
        var call =
                new ToolCall(
                        new RequestRead(
                                new RecordOrigin("requests", 0, offsets++),
                                request,
                                method,
                                method.needsServer() ? ToolPath.parse("s:echo") : null,
                                NOW,
                                NOW.plusSeconds(30),
                                NOW.plusSeconds(30),
                                null,
                                null,
                                null,
                                input));
        assertThat(requests.arrived(call, NOW)).isEqualTo(RequestTable.Arrival.NEW);
        return call;
    }

    private static void go(ToolCall call, CallEvent event) {
        var facts = new CallFacts(true, true, true, 0, false, true, false);
        call.go(CallTransitions.next(call.stage(), event, facts));
    }

    private static RawJson resume(String inputId, int bytes) {
        return Json.raw(
                new QuestionResume(
                        inputId,
                        Map.of("name", "elicitation/create"),
                        Map.of(),
                        RawJson.of("\"" + "x".repeat(bytes) + "\""),
                        NOW.plusSeconds(20),
                        1_000,
                        0,
                        1));
    }

    @Test
    @DisplayName("is kept until a response is sent, and moves the deadline meanwhile")
    void untilAnswered() {
        var call = asking();
        assertThat(call.question()).isNotNull();
        assertThat(call.deadline()).isEqualTo(NOW.plusSeconds(50));
        assertThat(call.lastDeadline()).isEqualTo(NOW.plusSeconds(30).plus(MINUTE));

        questions.sending(response("other"));
        assertThat(call.question()).isNotNull();
        var response = response("q");
        questions.sending(response);
        assertThat(call.question()).as("the next round may run").isNull();

        questions.notTaken(response);
        assertThat(call.question()).as("the worker refused it").isNotNull();
        questions.sending(response);
        questions.ended(response);
        questions.notTaken(response);
        assertThat(call.question()).isNull();
        assertThat(budget.used()).isZero();
    }

    @Test
    @DisplayName("is not given back to a call that asked something else, or ended")
    void isOver() {
        var call = asking();
        var response = response("q");
        questions.sending(response);
        questions.asked(call, resume("next", 10), NOW);
        questions.notTaken(response);
        assertThat(call.question()).isNotNull();
        assertThat(call.question().inputId()).isEqualTo("next");

        var late = response("next");
        questions.sending(late);
        go(call, CallEvent.RESULT);
        questions.notTaken(late);
        assertThat(call.question()).isNull();
        assertThat(budget.used()).isZero();
    }

    @Test
    @DisplayName("has memory of the gateway, and is not kept where there is none")
    void isBounded() {
        var call = asking();
        assertThat(budget.used()).isPositive();
        questions.asked(call, resume("large", 1 << 20), NOW);

        assertThat(call.question()).isNull();
        assertThat(budget.used()).isZero();
        questions.asked(call, resume("small", 10), NOW);
        questions.asked(call, RawJson.of("{}"), NOW);
        questions.asked(call, null, NOW);
        assertThat(call.question()).isNull();
        assertThat(budget.used()).isZero();
    }

    @Test
    @DisplayName("holds responses until the worker that is to have them has the call")
    void holds() {
        var call = asking();
        var response = response("q");
        assertThat(questions.holds(response, true)).isFalse();
        assertThat(questions.holds(call, false)).isFalse();

        assertThat(questions.holds(response, false)).isTrue();
        assertThat(questions.all()).containsExactly(response);
        assertThat(questions.all()).isEmpty();

        go(call, CallEvent.SESSION_AWAY);
        assertThat(questions.holds(response, true)).isTrue();
        assertThat(questions.arrived(response)).isEmpty();
        go(call, CallEvent.ATTACHED_WITH);
        assertThat(questions.arrived(call)).containsExactly(response);
        assertThat(questions.arrived(call)).isEmpty();

        go(call, CallEvent.RESULT);
        assertThat(questions.holds(response, true)).isFalse();
    }
}
