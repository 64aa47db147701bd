package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.partition.ScriptedSession.Calls;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A request of a partition")
final class CallFlowTest {
    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private String server = "";
    private ScriptedJournal journal = new ScriptedJournal(partition, server, 0);

    @BeforeEach
    void install() {
        server = partition.installed("i-1");
        journal = new ScriptedJournal(partition, server, 0);
    }

    @Test
    @DisplayName("goes to the worker, and its result is public before it is acknowledged")
    void answeredByTheWorker() {
        var session = partition.serve();
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        assertThat(session.calls.getFirst().order.processId()).isEqualTo(server);
        assertThat(session.calls.getFirst().order.again()).isFalse();

        session.event(journal.result("r-1", origin), 100);

        assertThat(partition.answer("r-1").outcome()).isEqualTo(ToolOutcome.SUCCESS);
        partition.awaitDone(1);
        journal.awaitAcknowledged(session, 0);
        assertThat(session.credits).containsExactly(100L);
        assertThat(session.isHeard()).isTrue();
    }

    @Test
    @DisplayName("OWN-22: is not sent before the group knows that it may have been")
    void waitsForItsReservation() {
        partition.begin();
        var session = partition.opened(1);
        session.attach();
        TestWaits.until("serving", () -> partition.state() == OwnerState.SERVING);
        partition.call("r-1");
        partition.settle();
        assertThat(session.calls).isEmpty();

        partition.commit();

        TestWaits.until("sent", () -> session.calls.size() == 1);
    }

    @Test
    @DisplayName("that no worker takes until its deadline is answered with unavailable")
    void noWorker() {
        partition.begin();
        partition.opened(1);
        partition.call("r-1");

        partition.later(OwnedPartition.DEFAULT_TIMEOUT);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.UNAVAILABLE);
        partition.awaitDone(1);
    }

    @Test
    @DisplayName("beyond its user's concurrency waits, and is overloaded at its deadline")
    void noTurn() {
        var session = partition.serve();
        for (int call = 0; call < 5; call++) {
            partition.call("r-" + call);
        }
        partition.settle();
        assertThat(session.calls).hasSize(4);

        partition.later(OwnedPartition.DEFAULT_TIMEOUT);

        assertThat(codeOf("r-4")).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    @DisplayName("whose deadline had passed when it was read is not sent")
    void expired() {
        var session = partition.serve();
        partition.request(
                OwnedPartition.DEFAULT_TIMEOUT,
                OwnedPartition.callJson("r-1", "s", "{}"),
                new RecordHeaders());
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.EXPIRED);
        assertThat(session.calls).isEmpty();
    }

    @Test
    @DisplayName("whose id was there before is not run again")
    void repeated() {
        var session = partition.serve();
        var origin = partition.call("r-1");
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        session.event(journal.result("r-1", origin), 1);

        partition.awaitDone(2);

        assertThat(session.calls).hasSize(1);
        assertThat(partition.answers("r-1")).hasSize(1);
        assertThat(partition.count("perigee.gateway.duplicates", "topic", "tool-requests"))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("for a server that no command brings is answered with unknown_server")
    void unknownServer() {
        partition.serve();
        partition.request(OwnedPartition.callJson("r-1", "other", "{}"));
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.UNKNOWN_SERVER);
    }

    @Test
    @DisplayName("for a server of a command before it waits for that command")
    void serverOnItsWay() {
        partition.offsets.ends("mcp.commands", 0, 1);
        var session = partition.serve();
        partition.request(OwnedPartition.callJson("r-1", "other", "{}"));
        partition.settle();
        assertThat(partition.answers("r-1")).isEmpty();

        partition.command(
                """
                {"id":"c-1","command_type":"configure","payload":{
                 "event":"mcp_installation_created",
                 "config":{"installation_id":"i-2","server_slug":"other","team_id":"t1",
                  "team_slug":"t","user_id":"alice","user_slug":"alice",
                  "transport_type":"stdio","command":"node"}}}""");

        TestWaits.until("sent", () -> session.calls.size() == 1);
        assertThat(session.calls.getFirst().order.processId()).contains("other");
    }

    @Test
    @DisplayName("is answered in time where nobody says how far commands go")
    void endOfCommandsUnknown() {
        partition.serve();
        partition.offsets.fail(new IllegalStateException("the test says so"));
        partition.request(OwnedPartition.callJson("r-1", "other", "{}"));
        TestWaits.until(
                "asked in vain",
                () -> partition.count("perigee.gateway.failures", "where", "commands_end") == 1);

        partition.later(Duration.ofSeconds(5));

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.UNKNOWN_SERVER);
    }

    @Test
    @DisplayName("that names none of several installations of a server is invalid")
    void severalServers() {
        partition.installed("i-2");
        partition.serve();
        partition.call("r-1");
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.INVALID_REQUEST);
    }

    @Test
    @DisplayName("is cancelled while it waits, and at the worker by the worker")
    void cancelled() {
        partition.begin();
        var session = partition.opened(1);
        partition.call("r-1");
        partition.request(cancel("r-1"));
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.CANCELLED);
        partition.awaitDone(2);

        session.attach();
        TestWaits.until("serving", () -> partition.state() == OwnerState.SERVING);
        partition.commit();
        partition.call("r-2");
        partition.request(cancel("r-2"));
        TestWaits.until("cancelled", () -> session.asked.contains("cancel r-2"));
        assertThat(partition.answers("r-2")).isEmpty();
    }

    @Test
    @DisplayName("is cancelled again while the link fails and the worker has it not yet")
    void cancelledLater() {
        var session = partition.serve();
        partition.request(
                """
                {"request_id":"r-1","team_id":"t1","user_id":"alice","method":"tools/call",
                 "tool_path":"s:echo","arguments":{},"timeout_ms":3600000}""");
        TestWaits.until("sent", () -> !session.calls.isEmpty());
        session.fail(Reason.DEADLINE);
        partition.request(cancel("r-1"));
        TestWaits.until("failed", () -> goesOn() && cancels(session) >= 1);

        session.agree(false);
        session.fail(null);
        TestWaits.until("not there", () -> goesOn() && cancels(session) >= 3);
        assertThat(partition.answers("r-1")).isEmpty();

        session.agree(true);
        TestWaits.until(
                "the cancellation is done, the call is not",
                () -> goesOn() && partition.partitions.open(Topic.TOOL_REQUESTS) == 1);
        int all = cancels(session);
        partition.later(Duration.ofSeconds(2));
        assertThat(cancels(session)).isEqualTo(all);
    }

    /** Much faster than time does: what awaits other threads so needs deadlines far away. */
    private boolean goesOn() {
        partition.later(Duration.ofMillis(100));
        return true;
    }

    private static int cancels(ScriptedSession session) {
        return Collections.frequency(List.copyOf(session.asked), "cancel r-1");
    }

    @Test
    @DisplayName("is not cancelled by what was said before it")
    void cancelledBefore() {
        partition.begin();
        var session = partition.opened(1);
        partition.request(cancel("r-1"));
        partition.awaitDone(1);
        partition.call("r-1");
        session.attach();
        TestWaits.until("serving", () -> partition.state() == OwnerState.SERVING);
        partition.commit();
        TestWaits.until("sent", () -> goesOn() && !session.calls.isEmpty());
        assertThat(partition.answers("r-1")).isEmpty();
        assertThat(cancels(session)).isZero();
    }

    @Test
    @DisplayName("that the worker turns down has the worker's answer")
    void turnedDown() {
        var session = partition.serve();
        session.take(Calls.KEPT);
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);

        session.calls.getFirst().answer(refusal(session, ErrorCode.TOOL_DISABLED));

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.TOOL_DISABLED);
        partition.awaitDone(1);
    }

    @Test
    @DisplayName("for what the session is only being given is sent again when it has it")
    void notGivenYet() {
        partition.begin();
        var session = partition.opened(1);
        session.obey(false);
        session.take(Calls.KEPT);
        session.attach();
        TestWaits.until("serving", () -> partition.state() == OwnerState.SERVING);
        partition.commit();
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        session.calls.getFirst().answer(refusal(session, ErrorCode.UNKNOWN_SERVER));
        partition.settle();
        assertThat(partition.answers("r-1")).isEmpty();

        session.orders.getFirst().complete();

        TestWaits.until("sent again", () -> session.calls.size() == 2);
    }

    @ParameterizedTest(name = "{0}, may have run: {1}")
    @CsvSource({
        "DEADLINE, false, UNAVAILABLE",
        "OVERLOADED, false, OVERLOADED",
        "TOO_LARGE, false, TOO_LARGE",
        "REJECTED, false, UNAVAILABLE",
        "REJECTED, true, OUTCOME_UNKNOWN"
    })
    @DisplayName("that the link fails with has the answer that is true of it")
    void failed(Reason reason, boolean mayHaveRun, ErrorCode expected) {
        var session = partition.serve();
        session.take(Calls.AWAITED);
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);

        session.calls.getFirst().fail(reason, mayHaveRun);

        assertThat(codeOf("r-1")).isEqualTo(expected);
        partition.awaitDone(1);
    }

    @Test
    @DisplayName("that is too much for the worker at once is sent by who waits")
    void overloadedAtOnce() {
        var session = partition.serve();
        session.take(Calls.KEPT);
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);

        session.calls.getFirst().fail(Reason.OVERLOADED, false);
        TestWaits.until("sent again", () -> session.calls.size() == 2);
        session.calls.get(1).accept();

        var origin = session.calls.get(1).order.origin();
        session.event(journal.result("r-1", origin), 1);
        assertThat(partition.answer("r-1").outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("that nobody took up to its deadline may have been taken")
    void acceptanceLate() {
        var session = partition.serve();
        session.take(Calls.KEPT);
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);

        partition.later(OwnedPartition.DEFAULT_TIMEOUT);
        partition.settle();
        assertThat(partition.answers("r-1")).as("it is the worker's").isEmpty();
        partition.later(OwnedPartition.SILENCE);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.TIMEOUT);
    }

    @Test
    @DisplayName("that is large does not keep the owner")
    void large() {
        var session = partition.serve();
        partition.request(
                OwnedPartition.callJson("r-1", "s", "{\"x\":\"" + "x".repeat(70_000) + "\"}"));
        TestWaits.until("sent", () -> session.calls.size() == 1);
        var request = session.calls.getFirst().order.request();
        assertThat(request.payloadBytes()).isGreaterThan(70_000);
    }

    @Test
    @DisplayName("may have run when the link breaks by a defect, and others go on")
    void broken() {
        var session = partition.serve();
        session.take(Calls.BROKEN);
        partition.call("r-1");
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(partition.count("perigee.gateway.failures", "where", "call")).isEqualTo(1);

        session.take(Calls.ACCEPTED);
        partition.call("r-2");
        TestWaits.until("sent", () -> session.calls.size() == 1);
    }

    @Test
    @DisplayName("that waits for a link that breaks by a defect may have run")
    void brokenWhileItWaits() {
        var session = partition.serve();
        session.take(Calls.BROKEN);
        partition.request(
                OwnedPartition.callJson("r-1", "s", "{\"x\":\"" + "x".repeat(70_000) + "\"}"));
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("of a silent worker has the gateway's answer, and a late result is not published")
    void silent() {
        var session = partition.serve();
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);

        partition.later(OwnedPartition.DEFAULT_TIMEOUT.plus(OwnedPartition.SILENCE));
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.TIMEOUT);
        session.event(journal.result("r-1", origin), 1);

        journal.awaitAcknowledged(session, 0);
        assertThat(partition.answers("r-1")).hasSize(1);
    }

    @Test
    @DisplayName("CAL-02: has longer as its server reports progress, up to its last deadline")
    void progress() {
        var session = partition.serve();
        var origin =
                partition.request(
                        """
                        {"request_id":"r-1","team_id":"t1","user_id":"alice",
                         "method":"tools/call","tool_path":"s:echo","arguments":{},
                         "accepts":["progress"],"timeout_ms":10000,
                         "extend_on_progress_ms":10000,"max_timeout_ms":60000}""");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        partition.later(Duration.ofSeconds(9));
        session.event(
                journal.entry(EventType.CALL_PROGRESS.wireName(), "{\"p\":1}", null, origin, null),
                1);
        TestWaits.until("published", () -> partition.values(Topic.CALL_EVENTS).size() == 1);

        partition.later(Duration.ofSeconds(62));
        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.TIMEOUT);
        session.event(
                journal.entry(EventType.CALL_PROGRESS.wireName(), "{\"p\":2}", null, origin, null),
                1);

        journal.awaitAcknowledged(session, 1);
        assertThat(partition.values(Topic.CALL_EVENTS)).containsExactly("{\"p\":1}");
    }

    @Test
    @DisplayName("waits while no worker may have the partition")
    void noHost() {
        partition.hostNobody();
        partition.begin();
        TestWaits.until("placing", () -> partition.state() == OwnerState.PLACING);
        partition.call("r-1");
        partition.settle();
        assertThat(partition.answers("r-1")).isEmpty();

        partition.host(new HostDecision.Place(ScriptedWorker.ID));
        partition.partitions.workersChanged();
        var session = partition.attach(1);

        TestWaits.until("sent", () -> session.calls.size() == 1);
    }

    private @Nullable ErrorCode codeOf(String requestId) {
        var error = partition.answer(requestId).error();
        return error == null ? null : error.code();
    }

    private ToolResult refusal(ScriptedSession session, ErrorCode code) {
        return ToolResult.refused(
                session.calls.getFirst().order.request(),
                server,
                ToolError.of(code, "the worker says so", null),
                partition.now());
    }

    /** Names the request that it cancels. */
    private static String cancel(String requestId) {
        return """
               {"request_id":"%s","team_id":"t1","user_id":"alice","method":"cancel",
                "timeout_ms":3600000}"""
                .formatted(requestId);
    }
}
