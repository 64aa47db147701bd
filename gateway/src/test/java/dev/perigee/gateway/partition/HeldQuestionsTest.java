package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.partition.ScriptedSession.Calls;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-05: a call that asked, and whose worker is lost, at its gateway")
final class HeldQuestionsTest {
    private static final Duration OPEN = Duration.ofMinutes(2);
    private static final Duration LITTLE = Duration.ofSeconds(2);

    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private ScriptedJournal journal = new ScriptedJournal(partition, "", 0);

    @BeforeEach
    void install() {
        journal = new ScriptedJournal(partition, partition.installed("i-1"), 0);
    }

    private RecordOrigin ask(String requestId) {
        return partition.request(
                """
                {"request_id":"%s","team_id":"t1","user_id":"alice","method":"tools/call","tool_path":"s:echo",
                 "installation_id":"i-1","arguments":{"n":1},"timeout_ms":60000,"accepts":["input"]}"""
                        .formatted(requestId));
    }

    private void respond(String requestId, String to, String inputId) {
        var _ = response(requestId, to, inputId);
    }

    private RecordOrigin response(String requestId, String to, String inputId) {
        return partition.request(
                """
                {"request_id":"%s","team_id":"t1","user_id":"alice","method":"call/respond","in_reply_to":"%s",
                 "input_id":"%s","responses":{"a":{"action":"decline"}},"timeout_ms":60000}"""
                        .formatted(requestId, to, inputId));
    }

    private RawJson held(String inputId) {
        return held(inputId, 2);
    }

    private RawJson held(String inputId, int round) {
        return Json.raw(
                new HeldQuestion(
                        inputId,
                        Map.of("a", "elicitation/create"),
                        "the server's secret",
                        round,
                        "hash",
                        partition.now().plus(OPEN),
                        partition.now().plus(OPEN),
                        7_000,
                        7_000));
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private InstanceEvent question(RecordOrigin of, RawJson held) {
        var plain =
                journal.entry(
                        EventType.CALL_INPUT_REQUIRED.wireName(), "{\"x\":1}", null, of, null);
        return new InstanceEvent(
                plain.partition(),
                plain.processId(),
                plain.startToken(),
                plain.seq(),
                plain.type(),
                plain.key(),
                plain.data(),
                null,
                plain.origin(),
                null,
                null,
                held);
    }

    /** A session at whose worker a call r-1 waits with question q-1. */
    private ScriptedSession asking() {
        var session = partition.serve();
        var origin = ask("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        session.event(question(origin, held("q-1")), 1);
        partition.settle();
        return session;
    }

    private ScriptedSession next(ScriptedSession lost, int number) {
        lost.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.later(LITTLE);
        return partition.attach(number);
    }

    private @Nullable ErrorCode codeOf(String requestId) {
        var error = partition.answer(requestId).error();
        return error == null ? null : error.code();
    }

    private void assertResumed(ScriptedCall call, String requestId) {
        assertThat(call.requestId()).isEqualTo(requestId);
        assertThat(call.order.resume()).isNotNull();
        assertThat(HeldQuestion.read(call.order.resume()).inputId()).isEqualTo("q-1");
        assertThat(call.order.again()).as("for a worker that knows no better").isTrue();
        assertThat(call.order.request().arguments()).isNotNull();
        assertThat(call.order.deadline()).isAfter(partition.now().plus(LITTLE));
    }

    @Test
    @DisplayName("goes on at the next one, and at the one after that, with its question open")
    void goesOn() {
        var second = next(asking(), 2);
        TestWaits.until("sent", () -> second.calls.size() == 1);
        assertResumed(second.calls.getFirst(), "r-1");

        var third = next(second, 3);
        TestWaits.until("sent", () -> third.calls.size() == 1);
        assertResumed(third.calls.getFirst(), "r-1");
        assertThat(partition.answers("r-1")).isEmpty();
    }

    @Test
    @DisplayName("has a response wait until the next one has it")
    void keepsResponsesBack() {
        var first = asking();
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        respond("r-2", "r-1", "q-1");
        partition.later(LITTLE);
        var second = partition.opened(2);
        second.take(Calls.KEPT);
        partition.attach(2);
        TestWaits.until("sent", () -> second.calls.size() == 1);
        partition.settle();
        assertThat(second.calls).as("the response waits").hasSize(1);
        assertResumed(second.calls.getFirst(), "r-1");

        second.calls.getFirst().accept();

        TestWaits.until("sent", () -> second.calls.size() == 2);
        assertThat(second.calls.getLast().requestId()).isEqualTo("r-2");
    }

    @Test
    @DisplayName("to which a response was sent that may have counted is not repeated")
    void answered() {
        var first = asking();
        respond("r-2", "r-1", "q-1");
        TestWaits.until("sent", () -> first.calls.size() == 2);
        partition.settle();

        var second = next(first, 2);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(second.calls).noneMatch(call -> call.requestId().equals("r-1"));
    }

    @Test
    @DisplayName(
            "nor is one whose response was on its way when the link was cut, and is sent again")
    void answeredThroughACut() {
        var first = asking();
        first.take(Calls.KEPT);
        respond("r-2", "r-1", "q-1");
        TestWaits.until("sent", () -> first.calls.size() == 2);
        var call = first.calls.getFirst().order.origin();

        first.suspend();
        first.attach(true, List.of(), new AcceptedRecord(call, Progress.RUNNING, null, null));
        first.calls.getLast().accept();
        partition.settle();
        var second = next(first, 2);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(second.calls).noneMatch(each -> each.requestId().equals("r-1"));
    }

    @Test
    @DisplayName("has a response wait until its link is there again")
    void keepsResponsesBackInACut() {
        var first = asking();
        var call = first.calls.getFirst().order.origin();
        first.suspend();
        respond("r-2", "r-1", "q-1");
        partition.settle();
        assertThat(first.calls).as("the response waits").hasSize(1);

        first.attach(
                true, List.of(), new AcceptedRecord(call, Progress.RUNNING, null, held("q-1")));

        TestWaits.until("sent", () -> first.calls.size() == 2);
        assertThat(first.calls.getLast().requestId()).isEqualTo("r-2");
    }

    @Test
    @DisplayName("goes on from its last question, whatever an attach has of an earlier round")
    void keepsTheLastQuestion() {
        var first = asking();
        var call = first.calls.getFirst().order.origin();
        first.suspend();
        first.attach(
                true, List.of(), new AcceptedRecord(call, Progress.RUNNING, null, held("q-0", 1)));

        var second = next(first, 2);

        TestWaits.until("sent", () -> second.calls.size() == 1);
        assertResumed(second.calls.getFirst(), "r-1");
    }

    @Test
    @DisplayName("nor is one whose response waited, and had its answer under an earlier owner")
    void answeredBefore() {
        var first = asking();
        var call = first.calls.getFirst().order.origin();
        first.suspend();
        var response = response("r-2", "r-1", "q-1");
        first.attach(
                true,
                List.of(),
                new AcceptedRecord(call, Progress.RUNNING, null, null),
                new AcceptedRecord(response, Progress.ACKED, null, null));
        partition.settle();

        var _ = next(first, 2);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("goes on where the link never came back, and so does its response")
    void goesOnAfterACut() {
        var first = asking();
        first.suspend();
        respond("r-2", "r-1", "q-1");
        partition.settle();

        var second = next(first, 2);

        TestWaits.until("sent", () -> second.calls.size() == 2);
        assertResumed(second.calls.getFirst(), "r-1");
        assertThat(second.calls.getLast().requestId()).isEqualTo("r-2");
    }

    @Test
    @DisplayName("of two responses under way the refusal of one does not take back the other")
    void answeredTwice() {
        var first = asking();
        first.take(Calls.KEPT);
        respond("r-2", "r-1", "q-1");
        respond("r-3", "r-1", "q-1");
        TestWaits.until("sent", () -> first.calls.size() == 3);
        first.calls.get(1).accept();
        refuse(first.calls.get(2));
        assertThat(codeOf("r-3")).isEqualTo(ErrorCode.INVALID_REQUEST);

        next(first, 2);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    private void refuse(ScriptedCall call) {
        call.answer(
                ToolResult.refused(
                        call.order.request(),
                        null,
                        ToolError.of(ErrorCode.INVALID_REQUEST, "no", null),
                        partition.now()));
    }

    @Test
    @DisplayName("goes on where all its responses were refused, or never left")
    void refused() {
        var first = asking();
        first.take(Calls.KEPT);
        respond("r-2", "r-1", "q-1");
        respond("r-3", "r-1", "q-0");
        TestWaits.until("sent", () -> first.calls.size() == 3);
        refuse(first.calls.get(1));
        first.calls.get(2).fail(Reason.LOST, true);
        assertThat(codeOf("r-2")).isEqualTo(ErrorCode.INVALID_REQUEST);
        partition.settle();

        var second = next(first, 2);

        TestWaits.until("sent", () -> second.calls.size() >= 1);
        assertResumed(second.calls.getFirst(), "r-1");
    }

    @Test
    @DisplayName("goes on where a response surely never reached its worker, and only there")
    void neverReached() {
        var first = asking();
        first.take(Calls.KEPT);
        respond("r-2", "r-1", "q-1");
        TestWaits.until("sent", () -> first.calls.size() == 2);
        first.calls.getLast().fail(Reason.DEADLINE, false);
        assertThat(codeOf("r-2")).isEqualTo(ErrorCode.UNAVAILABLE);

        var second = next(first, 2);
        TestWaits.until("sent", () -> second.calls.size() == 1);
        assertResumed(second.calls.getFirst(), "r-1");

        second.take(Calls.KEPT);
        respond("r-3", "r-1", "q-1");
        TestWaits.until("sent", () -> second.calls.size() == 2);
        second.calls.getLast().fail(Reason.DEADLINE, true);
        partition.settle();
        var _ = next(second, 3);
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("ends with input_timeout where nobody answers, also without a worker")
    void expires() {
        var first = asking();
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);

        partition.later(OPEN.plusSeconds(1));

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.INPUT_TIMEOUT);
    }

    private RecordOrigin cancel(String requestId) {
        return partition.request(
                "{\"request_id\":\"%s\",\"team_id\":\"t1\",\"user_id\":\"alice\",\"method\":\"cancel\"}"
                        .formatted(requestId));
    }

    @Test
    @DisplayName("stays cancelled where its worker said so and is lost before the result")
    void staysCancelled() {
        var first = asking();
        long cancellation = cancel("r-1").offset();
        TestWaits.until("taken", () -> partition.polled.isDone(cancellation));
        assertThat(first.asked).contains("cancel r-1");

        var second = next(first, 2);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.CANCELLED);
        partition.settle();
        assertThat(second.calls).isEmpty();
    }

    @Test
    @DisplayName("is cancelled on its way, and refused by the next one not as if it had not run")
    void endsOnItsWay() {
        var first = asking();
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        var _ = cancel("r-1");
        var error = partition.answer("r-1").error();
        assertThat(error).isNotNull();
        assertThat(error.code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(error.message()).doesNotContain("before it was sent");
    }

    @Test
    @DisplayName("that the next one refuses has an unknown outcome")
    void turnedDown() {
        var first = asking();
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.later(LITTLE);
        var second = partition.opened(2);
        second.take(Calls.KEPT);
        partition.attach(2);
        TestWaits.until("sent", () -> second.calls.size() == 1);
        var call = second.calls.getFirst();
        call.answer(
                ToolResult.refused(
                        call.order.request(),
                        null,
                        ToolError.of(ErrorCode.OVERLOADED, "full", null),
                        partition.now()));

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("is not sent to a worker that would begin it anew")
    void olderWorker() {
        var first = asking();
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.later(LITTLE);
        var second = partition.opened(2);
        second.speak(LinkVersions.SERVER_EVENTS);
        partition.attach(2);

        var error = partition.answer("r-1").error();
        assertThat(error).isNotNull();
        assertThat(error.code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(error.message()).contains("too old");
        assertThat(second.calls).isEmpty();
    }

    @Test
    @DisplayName("is known to the next owner by the attach, before and after its record is read")
    void nextOwner() {
        var origin = new RecordOrigin("mcp.tool-requests", 0, 0);
        var first =
                partition.serve(new AcceptedRecord(origin, Progress.RUNNING, null, held("q-1")));
        ask("r-1");
        partition.settle();
        assertThat(first.calls).isEmpty();

        var second = next(first, 2);

        TestWaits.until("sent", () -> second.calls.size() == 1);
        assertResumed(second.calls.getFirst(), "r-1");
    }

    @Test
    @DisplayName("is known to the next owner whose worker is lost before its record is read")
    void nextOwnerReadsLate() {
        var origin = new RecordOrigin("mcp.tool-requests", 0, 0);
        var first =
                partition.serve(new AcceptedRecord(origin, Progress.RUNNING, null, held("q-1")));
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        ask("r-1");
        partition.later(LITTLE);

        var second = partition.attach(2);

        TestWaits.until("sent", () -> second.calls.size() == 1);
        assertResumed(second.calls.getFirst(), "r-1");
    }
}
