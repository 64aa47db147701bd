package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cuts, made by a proxy between the gateway's link and the worker. */
final class LinkRecoveryTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final @Nullable LinkFrame SILENCE = null;

    @AutoClose private final LinkFixture fixture;
    private final FakeWorker worker;
    private final RecordingSessionListener listener;

    LinkRecoveryTest() throws Exception {
        fixture = new LinkFixture();
        worker = fixture.worker;
        listener = fixture.listener;
    }

    private Future<ToolOrder.Accepted> executing(PartitionLink session, long offset) {
        return fixture.callers.submit(
                () -> session.execute(LinkFixture.order(offset), LinkFixture.in(LONG)));
    }

    private void awaitAttached(int times) {
        await().until(() -> listener.calls.stream().filter("attached"::equals).count() == times);
    }

    @Test
    @DisplayName("RES-01: after a cut the session resumes where it was")
    void resumes() {
        fixture.attached();
        for (var seq = 1; seq <= 3; seq++) {
            worker.tell(LinkMethod.EVENT, FakeWorker.event(3, seq));
        }
        await().until(() -> listener.events.size() == 3);
        var held = listener.credits.stream().mapToInt(Integer::intValue).sum();

        fixture.proxy.cut();
        awaitAttached(2);

        assertThat(listener.calls).containsExactly("attached", "suspended", "attached");
        assertThat(worker.received(LinkMethod.ATTACH, Attach.Request.class).getLast())
                .isEqualTo(
                        new Attach.Request(
                                3,
                                40,
                                "gateway-1",
                                2,
                                false,
                                List.of(new Attach.Cursor("p-1", 5, 3)),
                                1000 - held,
                                null));
        fixture.awaitState(LinkState.CONNECTED);
        await().until(() -> fixture.count("perigee.link.recoveries", "outcome", "resumed") == 1);
    }

    @Test
    @DisplayName("RES-03: calls made during a cut wait, then run")
    void callsWaitForTheResume() throws Exception {
        var session = fixture.attached();
        fixture.proxy.refuse();
        fixture.proxy.cut();
        fixture.awaitState(LinkState.RECOVERING);

        var waiting = List.of(executing(session, 1), executing(session, 2));
        assertThat(worker.received(LinkMethod.EXECUTE)).isEmpty();
        fixture.proxy.heal();

        for (var call : waiting) {
            assertThat(call.get()).isNotNull();
        }
        assertThat(worker.received(LinkMethod.EXECUTE)).hasSize(2);
    }

    @Test
    void aCallDuringACutIsBoundedByItsOwnDeadline() throws Exception {
        var session = fixture.attached();
        fixture.proxy.refuse();
        fixture.proxy.cut();
        fixture.awaitState(LinkState.RECOVERING);

        var failure =
                catchThrowableOfType(
                        LinkException.class,
                        () ->
                                session.execute(
                                        LinkFixture.order(1),
                                        LinkFixture.in(Duration.ofMillis(200))));

        assertThat(failure.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(failure.mayHaveRun()).isFalse();
    }

    @Test
    @DisplayName("RES-01: what the worker accepted is not sent again, what it did not is")
    void resolvesWhatWasInFlight() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> SILENCE);
        var session = fixture.attached();
        var calls = new ArrayList<Future<ToolOrder.Accepted>>();
        for (var offset = 1; offset <= 4; offset++) {
            calls.add(executing(session, offset));
            var sent = offset;
            await().until(() -> worker.received(LinkMethod.EXECUTE).size() == sent);
        }
        worker.on(
                LinkMethod.ATTACH,
                r ->
                        FakeWorker.answer(
                                r,
                                FakeWorker.attached(
                                        true,
                                        accepted(1, Attach.Progress.RUNNING),
                                        accepted(2, Attach.Progress.JOURNALLED),
                                        accepted(4, Attach.Progress.ACKED))));
        worker.on(LinkMethod.EXECUTE, r -> new LinkFrame.Response(r.id(), RawJson.EMPTY_OBJECT));

        fixture.proxy.cut();

        for (var call : calls) {
            assertThat(call.get().answered()).isNull();
        }
        assertThat(worker.received(LinkMethod.EXECUTE, ToolOrder.Execute.class))
                .extracting(order -> order.origin().offset())
                .containsExactly(1L, 2L, 3L, 4L, 3L);
        assertThat(fixture.count("perigee.link.calls.resolved")).isEqualTo(3);
        assertThat(fixture.count("perigee.link.calls.resent")).isEqualTo(1);
    }

    private static Attach.AcceptedRecord accepted(long offset, Attach.Progress progress) {
        return new Attach.AcceptedRecord(LinkFixture.at(offset), progress);
    }

    @Test
    @DisplayName("RES-14: orders are sent again, in the order of submission")
    void sendsOrdersAgainInOrder() throws Exception {
        worker.on(LinkMethod.STOP, r -> SILENCE);
        var session = fixture.attached();
        var pending = new ArrayList<PendingOrder>();
        for (var offset = 0; offset < 20; offset++) {
            pending.add(
                    session.submit(
                            LinkMethod.STOP, LinkCallsTest.stop(offset), LinkFixture.in(LONG)));
        }
        await().until(() -> worker.received(LinkMethod.STOP).size() == 20);
        fixture.proxy.refuse();
        fixture.proxy.cut();
        fixture.awaitState(LinkState.RECOVERING);
        for (var offset = 20; offset < 30; offset++) {
            pending.add(
                    session.submit(
                            LinkMethod.STOP, LinkCallsTest.stop(offset), LinkFixture.in(LONG)));
        }
        worker.requests.clear();
        worker.on(
                LinkMethod.STOP,
                r ->
                        FakeWorker.answer(
                                r,
                                new InstanceOrder.Outcome(
                                        "p-1", CommandOutcome.COMPLETED, null, null)));

        fixture.proxy.heal();

        for (var order : pending) {
            assertThat(order.await().outcome()).isEqualTo(CommandOutcome.COMPLETED);
        }
        assertThat(worker.received(LinkMethod.STOP, InstanceOrder.Simple.class))
                .extracting(order -> order.origin().offset())
                .containsExactlyElementsOf(LongStream.range(0, 30).boxed().toList());
    }

    @Test
    void tellsAcksAndCommitsAgain() {
        var session = fixture.attached();
        fixture.proxy.refuse();
        fixture.proxy.cut();
        fixture.awaitState(LinkState.RECOVERING);
        session.ack(new SessionNotice.Ack(3, List.of(new SessionNotice.ProcessAck("p-1", 4))));
        session.ack(new SessionNotice.Ack(3, List.of(new SessionNotice.ProcessAck("p-1", 9))));
        session.committed("mcp.commands", 12);
        session.credit(77);

        fixture.proxy.heal();

        await().until(() -> worker.notifications.size() >= 2);
        assertThat(worker.told(LinkMethod.ACK, SessionNotice.Ack.class))
                .containsExactly(
                        new SessionNotice.Ack(3, List.of(new SessionNotice.ProcessAck("p-1", 9))));
        assertThat(worker.told(LinkMethod.COMMITTED, SessionNotice.Committed.class))
                .containsExactly(new SessionNotice.Committed(3, "mcp.commands", 12));
    }

    @Test
    @DisplayName("RES-10: a half-open link is found by its pings")
    void findsAHalfOpenLink() throws Exception {
        fixture.giveUpAfter(Duration.ofSeconds(4));
        var session = fixture.attached();

        fixture.proxy.drop();
        var waiting = executing(session, 1);
        awaitAttached(2);

        assertThat(waiting.get()).isNotNull();
        assertThat(listener.calls).containsExactly("attached", "suspended", "attached");
    }

    @Test
    @DisplayName("RES-18: a second cut during the replay loses nothing and doubles nothing")
    void aSecondCutDuringTheReplay() {
        fixture.attached();
        var attaches = new AtomicInteger();
        worker.on(
                LinkMethod.ATTACH,
                r -> {
                    send(FakeWorker.answer(r, FakeWorker.attached(true)));
                    var from = attaches.incrementAndGet() == 1 ? 1 : 4;
                    for (var seq = from; seq <= from + 4; seq++) {
                        worker.tell(LinkMethod.EVENT, FakeWorker.event(3, seq));
                    }
                    return SILENCE;
                });

        fixture.proxy.cut();
        await().until(() -> listener.events.size() == 5);
        fixture.proxy.cut();
        await().until(() -> listener.events.size() == 8);

        assertThat(listener.seqs())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 8).boxed().toList());
        assertThat(fixture.count("perigee.link.events.repeated")).isEqualTo(2);
        assertThat(fixture.count("perigee.link.events.missing")).isZero();
    }

    private void send(LinkFrame frame) {
        worker.send(new String(frame.encode(), UTF_8));
    }

    @Test
    @DisplayName("RES-25: an oversized frame ends the connection, not the session")
    void survivesAnOversizedFrame() throws Exception {
        var session = fixture.attached();

        worker.send("\"" + "x".repeat(LinkFrame.MAX_BYTES + 1) + "\"");
        awaitAttached(2);

        assertThat(executing(session, 1).get()).isNotNull();
    }

    /**
     * A worker that replays what the cursor does not cover and then goes on, cut at random: the
     * listener gets 1 to n, each once, in order, and every call ends accepted after one acceptance.
     */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    @DisplayName("RES-24: random cuts against a model")
    void randomCuts(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        var journal = new AtomicInteger();
        var accepted = new java.util.concurrent.ConcurrentHashMap<Long, Integer>();
        worker.on(
                LinkMethod.ATTACH,
                r -> {
                    var request =
                            dev.perigee.protocol.json.Json.read(r.params(), Attach.Request.class);
                    synchronized (journal) {
                        var known =
                                accepted.keySet().stream()
                                        .map(o -> accepted(o, Attach.Progress.RUNNING))
                                        .toArray(Attach.AcceptedRecord[]::new);
                        send(FakeWorker.answer(r, FakeWorker.attached(true, known)));
                        var after =
                                request.cursors().isEmpty()
                                        ? 0
                                        : request.cursors().getFirst().afterSeq();
                        for (var seq = after + 1; seq <= journal.get(); seq++) {
                            worker.tell(LinkMethod.EVENT, FakeWorker.event(3, seq));
                        }
                    }
                    return SILENCE;
                });
        worker.on(
                LinkMethod.EXECUTE,
                r -> {
                    var order =
                            dev.perigee.protocol.json.Json.read(
                                    r.params(), ToolOrder.Execute.class);
                    synchronized (journal) {
                        accepted.merge(order.origin().offset(), 1, Integer::sum);
                        worker.tell(
                                LinkMethod.EVENT, FakeWorker.event(3, journal.incrementAndGet()));
                        return new LinkFrame.Response(r.id(), RawJson.EMPTY_OBJECT);
                    }
                });
        var session = fixture.attached();
        var calls = new ArrayList<Future<ToolOrder.Accepted>>();
        for (var offset = 0; offset < 300; offset++) {
            calls.add(executing(session, offset));
            if (random.nextInt(30) == 0) {
                fixture.proxy.cut();
            }
        }
        for (var call : calls) {
            assertThat(call.get()).as("seed %d", seed).isNotNull();
        }
        await().until(() -> listener.events.size() >= journal.get());

        assertThat(listener.seqs())
                .as("seed %d", seed)
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 300).boxed().toList());
        assertThat(accepted.values()).as("seed %d: run once", seed).containsOnly(1);
    }
}
