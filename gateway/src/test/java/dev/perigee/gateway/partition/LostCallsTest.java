package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.partition.ScriptedSession.Calls;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A request whose session is lost, or was another owner's")
final class LostCallsTest {
    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private ScriptedJournal journal = new ScriptedJournal(partition, "", 0);

    @BeforeEach
    void install() {
        journal = new ScriptedJournal(partition, partition.installed("i-1"), 0);
    }

    @Test
    @DisplayName(
            "OWN-06: goes to one more worker when the session with it is gone, and to no third")
    void sessionsLost() {
        var first = partition.serve();
        partition.call("r-1");
        TestWaits.until("sent", () -> first.calls.size() == 1);

        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.later(Duration.ofSeconds(2));
        var second = partition.attach(2);
        TestWaits.until("sent again", () -> second.calls.size() == 1);
        assertThat(second.calls.getFirst().order.again()).isTrue();
        second.lose(LinkFailure.EXPIRED);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("that was under way as the session was lost is sent to the next")
    void lostWhileSent() {
        var first = partition.serve();
        first.take(Calls.AWAITED);
        partition.call("r-1");
        TestWaits.until("sent", () -> first.calls.size() == 1);

        first.calls.getFirst().fail(Reason.LOST, true);
        partition.settle();
        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.later(Duration.ofSeconds(2));
        var second = partition.attach(2);

        TestWaits.until("sent again", () -> second.calls.size() == 1);
        assertThat(second.calls.getFirst().order.again()).isTrue();
    }

    @Test
    @DisplayName(
            "is sent to the next also when its acceptance is seen after the loss of the session")
    void acceptanceBehindTheLoss() {
        var first = partition.serve();
        first.take(Calls.AWAITED);
        partition.call("r-1");
        partition.call("r-2");
        TestWaits.until("sent", () -> first.calls.size() == 2);

        first.lose(LinkFailure.EXPIRED);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        first.calls.getFirst().accept();
        partition.settle();
        partition.later(Duration.ofSeconds(2));
        var second = partition.attach(2);
        TestWaits.until("sent again", () -> second.calls.size() == 1);
        first.calls.getLast().accept();

        TestWaits.until("both sent again", () -> second.calls.size() == 2);
        assertThat(second.calls).allMatch(call -> call.order.again());
    }

    @Test
    @DisplayName("that never reached the worker it was sent to is sent as the first time")
    void notRun() {
        var first = partition.serve();
        first.take(Calls.AWAITED);
        partition.call("r-1");
        TestWaits.until("sent", () -> first.calls.size() == 1);

        first.calls.getFirst().fail(Reason.DRAINING, false);
        partition.settle();
        first.lose(LinkFailure.ENDED);
        var second = partition.attach(2);

        TestWaits.until("sent again", () -> second.calls.size() == 1);
        assertThat(second.calls.getFirst().order.again()).isFalse();
    }

    @Test
    @DisplayName("that another gateway may have taken over is in doubt until the session says so")
    void unsure() {
        var first = partition.serve();
        first.take(Calls.AWAITED);
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> first.calls.size() == 1);
        first.calls.getFirst().fail(Reason.FENCED, true);
        partition.settle();

        first.fence();
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.later(Duration.ofSeconds(2));
        var second = partition.attach(2, new AcceptedRecord(origin, Progress.RUNNING));
        partition.settle();
        assertThat(second.calls).isEmpty();
        second.event(journal.result("r-1", origin), 1);

        assertThat(partition.answer("r-1").outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("whose result the worker had acknowledged is done")
    void acknowledgedBefore() {
        var origin = new RecordOrigin("mcp.tool-requests", 0, 0);
        var session = partition.serve(new AcceptedRecord(origin, Progress.ACKED));
        partition.call("r-1");

        partition.awaitDone(1);

        assertThat(session.calls).isEmpty();
        assertThat(partition.answers("r-1")).isEmpty();
    }

    @Test
    @DisplayName("that the worker runs already is not sent again")
    void held() {
        var origin = new RecordOrigin("mcp.tool-requests", 0, 0);
        var session = partition.serve(new AcceptedRecord(origin, Progress.RUNNING));
        partition.call("r-1");
        partition.settle();
        assertThat(session.calls).isEmpty();
        session.event(journal.result("r-1", origin), 1);
        assertThat(partition.answer("r-1").outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("whose result comes before its record is not run when that is read")
    void resultBeforeTheRecord() {
        var session = partition.serve();
        var origin = new RecordOrigin("mcp.tool-requests", 0, 0);
        session.event(journal.result("r-1", origin), 1);
        assertThat(partition.answer("r-1").outcome()).isEqualTo(ToolOutcome.SUCCESS);
        journal.awaitAcknowledged(session, 0);

        partition.call("r-1");
        partition.awaitDone(1);

        assertThat(session.calls).isEmpty();
        assertThat(partition.answers("r-1")).hasSize(1);
    }

    private @Nullable ErrorCode codeOf(String requestId) {
        var error = partition.answer(requestId).error();
        return error == null ? null : error.code();
    }
}
