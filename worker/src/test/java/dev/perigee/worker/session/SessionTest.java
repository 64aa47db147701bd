package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Attach.Cursor;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sessions as gateways see them, over real sockets. */
final class SessionTest {
    private static final String PROCESS = Orders.config("i1").processId();

    private final LinkServerFixture link =
            new LinkServerFixture(LinkServerFixture.OPTIONS, Duration.ofSeconds(10));

    SessionTest() throws IOException {}

    @AfterEach
    void stop() {
        link.close();
    }

    @Test
    @DisplayName(
            "RES-02 what was said during a cut comes after it, in order, then what is said live")
    void replaysThenGoesOn() throws Exception {
        try (var before = installed()) {
            append(3);
            assertThat(seqs(before, 3)).containsExactly(1L, 2L, 3L);
            before.ack(PROCESS, 1);
            before.settle();
            before.cut();
        }
        append(2);
        try (var after = link.gateway("g-1")) {
            var attached = after.attachEventually(5, 2, new Cursor(PROCESS, 10, 2));
            assertThat(attached.resumed()).isTrue();
            assertThat(attached.createdEpoch()).isEqualTo(5);
            assertThat(attached.processes())
                    .singleElement()
                    .satisfies(
                            process -> {
                                assertThat(process.processId()).isEqualTo(PROCESS);
                                assertThat(process.startToken()).isEqualTo(10);
                                assertThat(process.firstRetainedSeq()).isEqualTo(2);
                                assertThat(process.nextSeq()).isEqualTo(6);
                            });
            append(1);
            assertThat(seqs(after, 4)).containsExactly(3L, 4L, 5L, 6L);
        }
    }

    @Test
    @DisplayName("FLT-08 a higher epoch takes over at once; the older owner has no effect any more")
    void fencesTheOlderOwner() throws Exception {
        try (var old = installed();
                var young = link.gateway("g-2")) {
            old.notice();
            append(2);
            assertThat(seqs(old, 2)).containsExactly(1L, 2L);
            assertThat(young.attach(6, 1, false).resumed()).isTrue();
            var fenced = old.notice();
            assertThat(fenced.method()).isEqualTo(LinkMethod.FENCED);
            assertThat(Json.read(fenced.params(), SessionNotice.Fenced.class))
                    .isEqualTo(new SessionNotice.Fenced(Orders.PARTITION, 6));

            old.ack(PROCESS, 2);
            assertThat(old.refusal(LinkMethod.EXECUTE, Orders.call(1, "r-1")))
                    .isEqualTo(LinkError.FENCED.code());
            assertThat(old.refusal(LinkMethod.STOP, Orders.simple(2, "i1", 10)))
                    .isEqualTo(LinkError.FENCED.code());
            old.attachLater(5, 2, true, List.of());
            assertThat(old.failure().code()).isEqualTo(LinkError.FENCED.code());
            for (long epoch = 5; epoch <= 6; epoch++) {
                var detach = new Attach.Detach(Orders.PARTITION, epoch, true);
                old.ask(LinkMethod.DETACH, detach, RawJson.class);
            }
            assertThat(sessions("true")).isEqualTo(1);

            assertThat(link.instances.running).isEmpty();
            assertThat(link.instances.orders).containsExactly("apply cmd-1");
            assertThat(seqs(young, 2)).containsExactly(1L, 2L);
            append(1);
            assertThat(young.event().seq()).isEqualTo(3);
            old.settle();
            assertThat(old.hasEvent()).isFalse();
        }
    }

    @Test
    @DisplayName("RES-06 RES-08 a late detach or close of the old connection disturbs nobody")
    void aLateGoodbyeDisturbsNobody() throws Exception {
        try (var old = installed();
                var young = link.gateway("g-1")) {
            young.attach(5, 2, false);
            old.ask(
                    LinkMethod.DETACH,
                    new Attach.Detach(Orders.PARTITION, 5, false),
                    RawJson.class);
            old.cut();
            await().until(() -> connections() == 1);
            append(1);
            assertThat(young.event().seq()).isEqualTo(1);
            assertThat(sessions("true")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("the detach of an older claim does not end a newer one of the same connection")
    void aDetachNamesItsClaim() throws Exception {
        try (var gateway = installed()) {
            gateway.attach(6, 2, false);
            gateway.ask(
                    LinkMethod.DETACH,
                    new Attach.Detach(Orders.PARTITION, 5, false),
                    RawJson.class);
            assertThat(sessions("true")).isEqualTo(1);
            append(1);
            assertThat(gateway.event().seq()).isEqualTo(1);
            gateway.ask(
                    LinkMethod.DETACH,
                    new Attach.Detach(Orders.PARTITION, 6, false),
                    RawJson.class);
            assertThat(sessions("true")).isZero();
        }
    }

    @Test
    @DisplayName("RES-09 the same generation waits for the detach, then succeeds")
    void theSameGenerationWaits() throws Exception {
        try (var first = installed();
                var second = link.gateway("g-1")) {
            second.attachLater(5, 1, false, List.of());
            assertThat(second.failure().code()).isEqualTo(LinkError.ALREADY_ATTACHED.code());
            first.cut();
            assertThat(second.attachEventually(5, 1).resumed()).isTrue();
        }
    }

    @Test
    @DisplayName(
            "RES-05 after the retention the processes are ended and only a fresh claim creates")
    void expires() throws Exception {
        var brief = shortRetention();
        try (var strict = new LinkServerFixture(brief, Duration.ofSeconds(10))) {
            try (var gateway = strict.gateway("g-1")) {
                gateway.attach(5, 1, true);
                gateway.ask(LinkMethod.APPLY, Orders.apply(1L, "i1", 10), RawJson.class);
                gateway.cut();
            }
            strict.instances.mayTerminate = new CountDownLatch(1);
            await().until(
                            () ->
                                    strict.meters
                                                    .get("perigee.worker.session.expirations")
                                                    .counter()
                                                    .count()
                                            == 1);
            try (var gateway = strict.gateway("g-1")) {
                gateway.attachLater(5, 2, true, List.of());
                strict.instances.mayTerminate.countDown();
                assertThat(gateway.failure().code()).isEqualTo(LinkError.SESSION_EXPIRED.code());
                assertThat(gateway.attach(6, 2, true).processes()).isEmpty();
                assertThat(strict.instances.terminated).hasValue(1);
            }
        }
    }

    @Test
    @DisplayName("FLT-01 a new session waits until the processes of the expired one are dead")
    void aNewSessionWaitsForTheOldProcesses() throws Exception {
        try (var strict = new LinkServerFixture(shortRetention(), Duration.ofSeconds(10))) {
            strict.instances.mayTerminate = new CountDownLatch(1);
            try (var gateway = strict.gateway("g-1")) {
                gateway.attach(5, 1, true);
                gateway.cut();
            }
            await().until(() -> strict.sessions.partitions().isEmpty());
            try (var gateway = strict.gateway("g-2")) {
                gateway.attachLater(6, 1, true, List.of());
                gateway.send("no/such/method", RawJson.EMPTY_OBJECT);
                assertThat(gateway.failure().code()).isEqualTo(LinkError.METHOD_NOT_FOUND.code());
                strict.instances.mayTerminate.countDown();
                assertThat(gateway.result(Attach.Result.class).resumed()).isFalse();
            }
        }
    }

    @Test
    @DisplayName("FLT-07 a request that is sent again runs once and is answered for each record")
    void aRequestRunsOnce() throws Exception {
        try (var gateway = installed()) {
            for (int i = 0; i < 2; i++) {
                assertThat(execute(gateway, 1, "r-1").answered()).isNull();
            }
            execute(gateway, 2, "r-1");
            assertThat(link.instances.running).hasSize(1);
            link.instances.finishCall("once");
            var first = gateway.event();
            var second = gateway.event();
            assertThat(first.origin()).isEqualTo(Orders.origin(1));
            assertThat(second.origin()).isEqualTo(Orders.origin(2));
            assertThat(second.data()).isEqualTo(first.data());
            execute(gateway, 3, "r-1");
            var third = gateway.event();
            assertThat(third.origin()).isEqualTo(Orders.origin(3));
            assertThat(third.type()).isEqualTo(EventType.TOOL_RESULT.wireName());
            assertThat(third.key()).isEqualTo("r-1");
            assertThat(third.data()).isEqualTo(first.data());
            assertThat(link.instances.running).isEmpty();
        }
    }

    @Test
    @DisplayName("RES-20 the next owner learns what runs, what waits in the journal, what is done")
    void tellsTheNextOwnerWhatWasAccepted() throws Exception {
        try (var old = installed();
                var young = link.gateway("g-2")) {
            for (int i = 1; i <= 3; i++) {
                execute(old, i, "r-" + i);
            }
            link.instances.finishCall("first");
            link.instances.finishCall("second");
            old.ack(PROCESS, old.event().seq());
            old.settle();
            assertThat(young.attach(6, 1, false).accepted())
                    .extracting(Attach.AcceptedRecord::state)
                    .containsExactly(Progress.JOURNALLED, Progress.RUNNING, Progress.ACKED);
            assertThat(young.event().origin()).isEqualTo(Orders.origin(2));
            link.instances.finishCall("third");
            assertThat(young.event().origin()).isEqualTo(Orders.origin(3));
        }
    }

    @Test
    void whatNeededNoServerIsAnsweredAtOnceAndForgotten() throws Exception {
        try (var gateway = installed()) {
            var call = Orders.call(1, "r-1");
            var nowhere =
                    Json.read(
                            RawJson.of(
                                    Json.raw(call)
                                            .text()
                                            .replace("\"process_id\":\"echo-acme-alice-i1\",", "")),
                            ToolOrder.Execute.class);
            var accepted = gateway.ask(LinkMethod.EXECUTE, nowhere, ToolOrder.Accepted.class);
            assertThat(accepted.answered())
                    .extracting(ToolResult::error)
                    .satisfies(
                            error -> assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN_SERVER));
            execute(gateway, 1, "r-1");
            assertThat(link.instances.running).hasSize(1);
        }
    }

    @Test
    @DisplayName("PRO-110 RES-14 an order that is sent again joins the one that is under way")
    void anOrderRunsOnce() throws Exception {
        link.instances.keepUnsettled();
        try (var old = link.gateway("g-1");
                var young = link.gateway("g-1")) {
            old.attach(5, 1, true);
            old.send(LinkMethod.APPLY, Orders.apply(1L, "i1", 10));
            old.send(LinkMethod.STOP, Orders.simple(2, "i1", 10));
            old.settle();
            young.attach(5, 2, false);
            young.send(LinkMethod.APPLY, Orders.apply(1L, "i1", 10));
            young.settle();
            link.instances.settle();
            assertThat(young.result(InstanceOrder.Outcome.class).processId()).isEqualTo(PROCESS);
            young.ask(LinkMethod.STOP, Orders.simple(2, "i1", 10), InstanceOrder.Outcome.class);
            assertThat(link.instances.orders).containsExactly("apply cmd-1", "stop cmd-2");

            young.tell(
                    LinkMethod.COMMITTED,
                    new SessionNotice.Committed(Orders.PARTITION, Orders.COMMANDS, 3));
            young.ask(LinkMethod.STOP, Orders.simple(2, "i1", 10), InstanceOrder.Outcome.class);
            assertThat(link.instances.orders).hasSize(3);
        }
    }

    @Test
    @DisplayName("takes a hundred orders at once, and answers them in the order in which they end")
    void refusesMoreOrdersThanItHasRoomFor() throws Exception {
        link.instances.keepUnsettled();
        // Some take longer to be written than those behind them.
        var slow = new CommandError("large", "x".repeat(500_000));
        for (int i = 1; i <= 100; i += 20) {
            link.instances.errors.put(Orders.config("i" + i).processId(), slow);
        }
        try (var gateway = link.gateway("g-1")) {
            gateway.attach(5, 1, true);
            for (int i = 1; i <= 101; i++) {
                gateway.send(LinkMethod.APPLY, Orders.apply((long) i, "i" + i, i));
            }
            assertThat(gateway.failure().code()).isEqualTo(LinkError.OVERLOADED.code());
            link.instances.settle();
            for (int i = 1; i <= 100; i++) {
                assertThat(gateway.result(InstanceOrder.Outcome.class).processId())
                        .isEqualTo(Orders.config("i" + i).processId());
            }
        }
    }

    @Test
    @DisplayName("STA-40 numbers go on after remove and reinstall, and a removal is replayed")
    void numbersGoOnAfterAReinstall() throws Exception {
        try (var gateway = installed()) {
            append(2);
            gateway.ask(LinkMethod.REMOVE, Orders.simple(2, "i1", 10), RawJson.class);
            assertThat(gateway.events(3).stream().map(SessionNotice.InstanceEvent::type))
                    .endsWith(EventType.REMOVED.wireName());
            gateway.cut();
        }
        try (var gateway = link.gateway("g-1")) {
            var attached = gateway.attachEventually(5, 2);
            assertThat(attached.processes())
                    .singleElement()
                    .extracting(Attach.AttachedProcess::state)
                    .isEqualTo("removed");
            assertThat(seqs(gateway, 3)).containsExactly(1L, 2L, 3L);
            gateway.ask(LinkMethod.APPLY, Orders.apply(3L, "i1", 30), RawJson.class);
            append(1);
            var event = gateway.event();
            assertThat(event.seq()).isEqualTo(4);
            assertThat(event.startToken()).isEqualTo(30);
        }
    }

    @Test
    @DisplayName("OWN-23: numbers go on after a removal that is acknowledged and forgotten")
    void numbersGoOnWithoutAJournal() throws Exception {
        try (var gateway = installed()) {
            append(2);
            remove(gateway, 2);
            gateway.cut();
        }
        try (var gateway = link.gateway("g-1")) {
            assertThat(gateway.attachEventually(5, 2).processes()).isEmpty();
            gateway.ask(LinkMethod.APPLY, Orders.apply(3L, "i1", 30), RawJson.class);
            append(1);
            assertThat(gateway.event().seq()).isEqualTo(4);
        }
    }

    @Test
    @DisplayName("what comes late of a forgotten server is sent, and its results are repeated")
    void writesWhatComesLate() throws Exception {
        try (var gateway = installed()) {
            execute(gateway, 1, "r-1");
            var writer = link.instances.instance("i1").journal();
            remove(gateway, 2);

            var order = link.instances.running.remove();
            writer.appendResult(order, FakeInstances.result("late", order));
            var late = gateway.event();
            assertThat(late.seq()).isEqualTo(2);
            assertThat(late.origin()).isEqualTo(Orders.origin(1));
            gateway.ack(PROCESS, 2);
            gateway.settle();

            assertThat(execute(gateway, 2, "r-1").answered()).isNull();
            var repeated = gateway.event();
            assertThat(repeated.seq()).isEqualTo(3);
            assertThat(repeated.data()).isEqualTo(late.data());
        }
    }

    /** Removes the server; its removal is acknowledged. */
    private static void remove(RawGateway gateway, long offset) throws InterruptedException {
        gateway.ask(LinkMethod.REMOVE, Orders.simple(offset, "i1", 10), RawJson.class);
        SessionNotice.InstanceEvent event;
        do {
            event = gateway.event();
        } while (!event.type().equals(EventType.REMOVED.wireName()));
        gateway.ack(PROCESS, event.seq());
        gateway.settle();
    }

    @Test
    void eventsWaitForCredit() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            var request =
                    new Attach.Request(Orders.PARTITION, 5, "g-1", 1, true, List.of(), 1, null);
            gateway.ask(LinkMethod.ATTACH, request, Attach.Result.class);
            gateway.ask(LinkMethod.APPLY, Orders.apply(1L, "i1", 10), RawJson.class);
            append(3);
            assertThat(gateway.event().seq()).isEqualTo(1);
            gateway.settle();
            assertThat(gateway.hasEvent()).isFalse();
            gateway.tell(LinkMethod.CREDIT, new SessionNotice.Credit(Orders.PARTITION, 1 << 20));
            assertThat(seqs(gateway, 2)).containsExactly(2L, 3L);
        }
    }

    private RawGateway installed() throws InterruptedException {
        var gateway = link.gateway("g-1");
        assertThat(gateway.attach(5, 1, true).resumed()).isFalse();
        gateway.ask(LinkMethod.APPLY, Orders.apply(1L, "i1", 10), InstanceOrder.Outcome.class);
        return gateway;
    }

    private void append(int events) {
        for (int i = 0; i < events; i++) {
            link.instances.instance("i1").journal().append(Events.status(), null, null);
        }
    }

    private static ToolOrder.Accepted execute(RawGateway gateway, long offset, String id)
            throws InterruptedException {
        return gateway.ask(LinkMethod.EXECUTE, Orders.call(offset, id), ToolOrder.Accepted.class);
    }

    private static List<Long> seqs(RawGateway gateway, int count) throws InterruptedException {
        return gateway.events(count).stream().map(SessionNotice.InstanceEvent::seq).toList();
    }

    private static SessionOptions shortRetention() {
        var usual = LinkServerFixture.OPTIONS;
        return new SessionOptions(
                Duration.ofMillis(100),
                usual.expiryGrace(),
                usual.terminationLimit(),
                usual.flushLimit(),
                usual.journalBytes(),
                usual.journalEntries(),
                usual.whenFull(),
                usual.largeEntryBytes(),
                usual.journalBudgetBytes(),
                usual.repeatWindow(),
                usual.repeatRequests(),
                usual.repeatBytes(),
                usual.repeatMemoryBytes(),
                usual.calls());
    }

    private double connections() {
        return link.meters.get("perigee.worker.link.connections").gauge().value();
    }

    private double sessions(String attached) {
        return link.meters.get("perigee.worker.sessions").tag("attached", attached).gauge().value();
    }
}
