package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.SessionNotice.Phase;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls and notices on a connection that holds. */
final class LinkCallsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Waited for in whole, and long enough that what is asked is sent before it is over. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    @AutoClose private final LinkFixture fixture;
    private final FakeWorker worker;
    private final RecordingSessionListener listener;

    LinkCallsTest() throws Exception {
        fixture = new LinkFixture();
        worker = fixture.worker;
        listener = fixture.listener;
    }

    private static LinkException failureOf(PartitionLink session, Duration deadline) {
        return catchThrowableOfType(
                LinkException.class,
                () -> session.execute(LinkFixture.order(1), LinkFixture.in(deadline)));
    }

    @Test
    void executes() throws Exception {
        var session = fixture.attached();

        var accepted = session.execute(LinkFixture.order(17), LinkFixture.in(LONG));

        assertThat(accepted.answered()).isNull();
        assertThat(worker.received(LinkMethod.EXECUTE, ToolOrder.Execute.class))
                .extracting(ToolOrder.Execute::origin)
                .containsExactly(LinkFixture.at(17));
        assertThat(fixture.meters.get("perigee.link.calls").timer().count()).isEqualTo(1);
        assertThat(fixture.meters.get("perigee.link.calls.in.flight").gauge().value()).isZero();
    }

    @Test
    @DisplayName("a result is an acceptance, also to who waits, and one that follows is a repeat")
    void aResultIsAnAcceptance() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> null);
        var session = fixture.attached();
        var waiting =
                fixture.callers.submit(
                        () -> session.execute(LinkFixture.order(1), LinkFixture.in(LONG)));
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);

        worker.tell(LinkMethod.EVENT, AcceptanceModelTest.event(1, LinkFixture.at(2)));
        worker.tell(LinkMethod.EVENT, AcceptanceModelTest.event(2, LinkFixture.at(1)));

        assertThat(waiting.get().answered()).isNull();
        assertThat(listener.seqs()).containsExactly(1L, 2L);
        assertThat(fixture.meters.get("perigee.link.calls.in.flight").gauge().value()).isZero();

        var order = worker.received(LinkMethod.EXECUTE).getFirst();
        var late = new LinkFrame.Response(order.id(), RawJson.EMPTY_OBJECT).encode();
        worker.send(new String(late, java.nio.charset.StandardCharsets.UTF_8));
        worker.on(LinkMethod.EXECUTE, r -> FakeWorker.refuse(r, LinkError.METHOD_NOT_FOUND));
        assertThat(failureOf(session, LONG).reason()).isEqualTo(Reason.REJECTED);
        assertThat(fixture.count("perigee.link.protocol.errors")).isZero();
    }

    @Test
    void ordersReachTheWorkerInTheOrderOfSubmission() throws Exception {
        var outcome = new InstanceOrder.Outcome("p-1", CommandOutcome.COMPLETED, null, null);
        worker.on(LinkMethod.STOP, r -> FakeWorker.answer(r, outcome));
        var session = fixture.attached();

        var pending = new java.util.ArrayList<PendingOrder>();
        for (var offset = 0; offset < 200; offset++) {
            pending.add(session.submit(LinkMethod.STOP, stop(offset), LinkFixture.in(LONG)));
        }
        for (var order : pending) {
            assertThat(order.await()).isEqualTo(outcome);
        }

        assertThat(worker.received(LinkMethod.STOP, InstanceOrder.Simple.class))
                .extracting(order -> order.origin().offset())
                .isSorted()
                .hasSize(200);
    }

    static InstanceOrder.Simple stop(long offset) {
        return new InstanceOrder.Simple(3, LinkFixture.at(offset), "cmd", "p-1", 5, null);
    }

    @Test
    @DisplayName("OWN-17: a worker slow to prepare packages is asked on, but waited for only once")
    void waitsOnceForPackages() throws Exception {
        worker.on(LinkMethod.PREPARE, r -> null);
        var _ = fixture.attached();
        var configs = List.of(config());

        fixture.links().prepare("worker-1", configs, SHORT);
        long begin = System.nanoTime();
        fixture.links().prepare("worker-1", configs, LONG);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LONG.dividedBy(2));
        await().until(() -> worker.received(LinkMethod.PREPARE).size() == 2);
    }

    private static ServerConfig config() {
        var json =
                """
                {"installation_id":"i","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"stdio","command":"npx"}""";
        return Json.read(RawJson.of(json), ServerConfig.class);
    }

    @Test
    void cancels() throws Exception {
        worker.on(LinkMethod.CANCEL, r -> FakeWorker.answer(r, new ToolOrder.Cancelled(true)));
        var session = fixture.attached();

        assertThat(session.cancel(new ToolOrder.Cancel(3, "r-1", "t1", "u1"), LinkFixture.in(LONG)))
                .isTrue();
    }

    @Test
    void aCallEndsAtItsDeadlineAndMayHaveRun() {
        worker.on(LinkMethod.EXECUTE, r -> null);
        var session = fixture.attached();

        var failure = failureOf(session, SHORT);

        assertThat(failure.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(failure.mayHaveRun()).isTrue();
        assertThat(fixture.meters.get("perigee.link.calls.in.flight").gauge().value()).isZero();
    }

    @Test
    @DisplayName("OWN-23: a session that ends holds no call, though nobody asks for its answer")
    void holdsNothing() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> null);
        var session = fixture.attached();
        var ended = new CountDownLatch(1);
        assertThat(session.offer(LinkFixture.order(1), ended::countDown)).isNotNull();
        session.flush();
        assertThat(fixture.meters.get("perigee.link.calls.in.flight").gauge().value()).isOne();

        session.detach(false, LONG);

        assertThat(ended.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(fixture.meters.get("perigee.link.calls.in.flight").gauge().value()).isZero();
    }

    @Test
    void anOverloadedWorkerIsAskedAgain() throws Exception {
        var refusals = new AtomicInteger(3);
        worker.on(
                LinkMethod.EXECUTE,
                r ->
                        refusals.getAndDecrement() > 0
                                ? FakeWorker.refuse(r, LinkError.OVERLOADED)
                                : new LinkFrame.Response(r.id(), RawJson.EMPTY_OBJECT));
        var session = fixture.attached();

        session.execute(LinkFixture.order(1), LinkFixture.in(LONG));

        assertThat(worker.received(LinkMethod.EXECUTE)).hasSize(4);
    }

    @Test
    void overloadIsToldWhenTheDeadlineNears() {
        worker.on(LinkMethod.EXECUTE, r -> FakeWorker.refuse(r, LinkError.OVERLOADED));
        var session = fixture.attached();

        var failure = failureOf(session, SHORT);

        assertThat(failure.reason()).isEqualTo(Reason.OVERLOADED);
        assertThat(failure.mayHaveRun()).isFalse();
    }

    @Test
    void anErrorThatIsABugFailsThatCallOnly() throws Exception {
        var refusals = new AtomicInteger(1);
        worker.on(
                LinkMethod.EXECUTE,
                r ->
                        refusals.getAndDecrement() > 0
                                ? FakeWorker.refuse(r, LinkError.METHOD_NOT_FOUND)
                                : new LinkFrame.Response(r.id(), RawJson.EMPTY_OBJECT));
        var session = fixture.attached();

        assertThat(failureOf(session, LONG).reason()).isEqualTo(Reason.REJECTED);
        assertThat(session.execute(LinkFixture.order(2), LinkFixture.in(LONG))).isNotNull();
    }

    @Test
    void anAnswerThatIsNotUnderstoodFailsThatCallOnly() {
        worker.on(LinkMethod.EXECUTE, r -> new LinkFrame.Response(r.id(), RawJson.of("[1]")));
        var session = fixture.attached();

        var failure = failureOf(session, LONG);

        assertThat(failure.reason()).isEqualTo(Reason.REJECTED);
        assertThat(failure.mayHaveRun()).isTrue();
    }

    @Test
    void aSessionThatTheWorkerLostIsLostWithItsCalls() {
        worker.on(LinkMethod.EXECUTE, r -> FakeWorker.refuse(r, LinkError.SESSION_EXPIRED));
        var session = fixture.attached();

        var failure = failureOf(session, LONG);

        assertThat(failure.reason()).isEqualTo(Reason.LOST);
        assertThat(failure.failure()).isEqualTo(LinkFailure.EXPIRED);
        assertThat(failure.mayHaveRun()).isFalse();
        await().until(() -> listener.calls.contains("lost EXPIRED"));
    }

    @Test
    void anOrderLargerThanAFrameIsNotSent() {
        var session = fixture.attached();
        var large = "\"" + "x".repeat(LinkFrame.MAX_BYTES) + "\"";

        var failure =
                catchThrowableOfType(
                        LinkException.class,
                        () -> session.execute(LinkFixture.order(1, large), LinkFixture.in(LONG)));

        assertThat(failure.reason()).isEqualTo(Reason.TOO_LARGE);
        assertThat(worker.received(LinkMethod.EXECUTE)).isEmpty();
    }

    @Test
    void anOrderLargerThanTheSendBufferIsSent() throws Exception {
        var links = fixture.start(FakeWorker.TOKEN, Duration.ofSeconds(1), 64 * 1024);
        fixture.awaitState(LinkState.CONNECTED);
        var session = links.open(LinkFixture.CLAIM, "worker-1", "first", true, listener);
        var large = "\"" + "x".repeat(1 << 20) + "\"";

        for (var offset = 0; offset < 5; offset++) {
            session.execute(LinkFixture.order(offset, large), LinkFixture.in(LONG));
        }

        assertThat(worker.received(LinkMethod.EXECUTE)).hasSize(5);
    }

    @Test
    void eventsComeInOrderAndCountTheirCredit() {
        var session = fixture.attached();
        var before = fixture.count("perigee.link.bytes", "direction", "in");
        for (var seq = 1; seq <= 50; seq++) {
            worker.tell(LinkMethod.EVENT, FakeWorker.event(3, seq));
        }
        await().until(() -> listener.events.size() == 50);

        assertThat(listener.seqs()).isSorted().doesNotHaveDuplicates();
        var bytes = listener.credits.stream().mapToInt(Integer::intValue).sum();
        assertThat((double) bytes)
                .as("whole frames, as the worker counts them")
                .isEqualTo(fixture.count("perigee.link.bytes", "direction", "in") - before);
        session.credit(bytes);
        await().until(
                        () ->
                                worker.told(LinkMethod.CREDIT, SessionNotice.Credit.class)
                                        .equals(List.of(new SessionNotice.Credit(3, bytes))));
    }

    @Test
    void tellsAcksAndCommits() {
        var session = fixture.attached();
        var ack = new SessionNotice.Ack(3, List.of(new SessionNotice.ProcessAck("p-1", 9)));

        session.ack(ack);
        session.committed("mcp.commands", 12);

        await().until(() -> worker.notifications.size() == 2);
        assertThat(worker.told(LinkMethod.ACK, SessionNotice.Ack.class)).containsExactly(ack);
        assertThat(worker.told(LinkMethod.COMMITTED, SessionNotice.Committed.class))
                .containsExactly(new SessionNotice.Committed(3, "mcp.commands", 12));
    }

    @Test
    @DisplayName("RES-21: a fenced owner's waiters are released and nothing follows")
    void isFenced() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> null);
        var session = fixture.attached();
        var waiting = fixture.callers.submit(() -> failureOf(session, LONG));
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);

        worker.tell(LinkMethod.FENCED, new SessionNotice.Fenced(3, 41));
        worker.tell(LinkMethod.EVENT, FakeWorker.event(3, 1));

        assertThat(waiting.get().reason()).isEqualTo(Reason.FENCED);
        assertThat(waiting.get().mayHaveRun()).isTrue();
        await().until(() -> listener.calls.contains("fenced 41"));
        assertThat(failureOf(session, LONG).mayHaveRun()).isFalse();
        assertThat(listener.events).isEmpty();
        assertThat(listener.calls).containsExactly("attached", "fenced 41");
    }

    @Test
    void aFencedNoticeOfAnOlderEpochIsIgnored() throws Exception {
        var session = fixture.attached();

        worker.tell(LinkMethod.FENCED, new SessionNotice.Fenced(3, 40));

        session.execute(LinkFixture.order(1), LinkFixture.in(LONG));
        assertThat(listener.calls).containsExactly("attached");
    }

    @Test
    void passesDrainingAndHeartbeatsOn() {
        fixture.attached();

        worker.tell(LinkMethod.DRAINING, draining(2, Phase.DRAINING));
        worker.tell(LinkMethod.HEARTBEAT, java.util.Map.of("worker_id", "worker-1"));

        await().until(() -> !fixture.heartbeats.isEmpty());
        assertThat(fixture.heartbeats).containsExactly("worker-1 {\"worker_id\":\"worker-1\"}");
        assertThat(fixture.view().phase()).isEqualTo(Phase.DRAINING);
        assertThat(listener.calls).containsExactly("attached");
    }

    @Test
    void ofTwoNoticesTheNewerOneCounts() {
        fixture.attached();

        worker.tell(LinkMethod.DRAINING, draining(3, Phase.SERVING));
        worker.tell(LinkMethod.DRAINING, draining(2, Phase.DRAINING));
        worker.tell(LinkMethod.HEARTBEAT, java.util.Map.of("worker_id", "worker-1"));

        await().until(() -> !fixture.heartbeats.isEmpty());
        assertThat(fixture.view().phase()).isEqualTo(Phase.SERVING);
    }

    private static SessionNotice.Draining draining(long version, Phase phase) {
        return new SessionNotice.Draining("update", version, phase);
    }

    @Test
    void releasesASessionAndHearsItsEnd() throws Exception {
        worker.on(LinkMethod.RELEASE, r -> FakeWorker.answer(r, new Attach.Released(true, 2, 0)));
        var session = fixture.attached();

        assertThat(session.release(false, LinkFixture.in(LONG)))
                .isEqualTo(new Attach.Released(true, 2, 0));
        worker.tell(LinkMethod.EVENT, FakeWorker.event(3, 1));
        worker.tell(LinkMethod.ENDED, new SessionNotice.Ended(3, 39));
        worker.tell(LinkMethod.ENDED, new SessionNotice.Ended(3, 40));

        await().until(() -> listener.calls.contains("lost ENDED"));
        assertThat(listener.seqs()).containsExactly(1L);
        assertThat(worker.received(LinkMethod.RELEASE, Attach.Release.class))
                .containsExactly(new Attach.Release(3, 40, false));
    }

    @Test
    @DisplayName("RES-25: what a worker says wrongly is counted and harms nothing else")
    void survivesWhatIsNotUnderstood() throws Exception {
        var session = fixture.attached();

        worker.send("{not json");
        worker.send("[]");
        worker.send("{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":{}}");
        worker.send(
                "{\"jsonrpc\":\"2.0\",\"method\":\"instance/event\",\"params\":{\"seq\":\"x\"}}");
        worker.send("{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}");
        worker.send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/create\"}");

        session.execute(LinkFixture.order(1), LinkFixture.in(LONG));
        assertThat(fixture.count("perigee.link.protocol.errors")).isEqualTo(4);
        assertThat(fixture.proxy.connections()).isEqualTo(1);
    }

    @Test
    void detachesAndReleasesItsWaiters() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> null);
        var session = fixture.attached();
        var waiting = fixture.callers.submit(() -> failureOf(session, LONG));
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);

        session.detach(true, LONG);

        assertThat(worker.received(LinkMethod.DETACH, Attach.Detach.class))
                .containsExactly(new Attach.Detach(3, 40, true));
        assertThat(waiting.get().reason()).isEqualTo(Reason.DETACHED);
        assertThat(listener.calls).containsExactly("attached");
        fixture.links().open(new PartitionClaim(3, 50), "worker-1", "first", true, listener);
        await().until(() -> listener.calls.size() == 2);
    }

    @Test
    void leavesASessionThatIsAttachedAfterItWasLeft() {
        var held = new java.util.concurrent.atomic.AtomicReference<LinkFrame.Request>();
        worker.on(
                LinkMethod.ATTACH,
                r -> {
                    held.set(r);
                    return null;
                });
        var links = fixture.start();
        fixture.awaitState(LinkState.CONNECTED);
        var session = links.open(LinkFixture.CLAIM, "worker-1", "first", true, listener);
        await().until(() -> held.get() != null);

        session.detach(false, LONG);
        var late = FakeWorker.answer(held.get(), FakeWorker.attached(false));
        worker.send(new String(late.encode(), java.nio.charset.StandardCharsets.UTF_8));

        await().until(() -> worker.received(LinkMethod.DETACH).size() == 1);
        assertThat(listener.calls).isEmpty();
    }

    @Test
    @DisplayName("RES-06: a late detach does not undo the attach of the partition's next session")
    void aNewerClaimReplacesTheSessionAndIsNotLeftByTheOldOne() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> null);
        var old = fixture.attached();
        var waiting = fixture.callers.submit(() -> failureOf(old, LONG));
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);
        var next = new RecordingSessionListener();

        fixture.links().open(new PartitionClaim(3, 50), "worker-1", "first", true, next);
        old.detach(false, LONG);

        assertThat(waiting.get().reason()).isEqualTo(Reason.DETACHED);
        await().until(() -> next.calls.contains("attached"));
        worker.tell(LinkMethod.FENCED, new SessionNotice.Fenced(3, 50));
        worker.tell(LinkMethod.EVENT, FakeWorker.event(3, 1));
        await().until(() -> next.events.size() == 1);
        assertThat(next.calls).containsExactly("attached");
        assertThat(listener.calls).containsExactly("attached");
        assertThat(worker.received(LinkMethod.DETACH)).isEmpty();
    }
}
