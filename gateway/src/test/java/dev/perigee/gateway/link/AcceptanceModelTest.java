package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A session's requests at a worker of the model's, which says of each by an acceptance, an event or
 * the answer to an attach that it accepted it, in any order and more than once, over connections
 * that are cut. One thread; the walk's number is its seed.
 */
@DisplayName("Acceptances, events, cuts and attaches in any order")
final class AcceptanceModelTest {
    private static final int WALKS = 1_000;
    private static final int STEPS = 40;
    private static final int REQUESTS = 4;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LinkMeters meters = new LinkMeters(registry, "127.0.0.1:1");

    @Test
    @DisplayName("end each call once, for the request that was accepted, and leave no waiter")
    void endsEachCallOnce() throws Exception {
        int byEvent = 0;
        for (int walk = 0; walk < WALKS; walk++) {
            var world = new World(walk);
            try {
                for (int step = 0; step < STEPS; step++) {
                    world.step();
                }
                if (walk % 4 == 0) {
                    world.session.lose(LinkFailure.EXPIRED);
                } else {
                    world.calm();
                    assertThat(world.taken).hasSize(REQUESTS);
                }
                world.takeEnded();
                assertThat(world.pending).isEmpty();
                assertThat(world.results).doesNotHaveDuplicates();
                assertThat(registry.get("perigee.link.calls.in.flight").gauge().value()).isZero();
            } catch (AssertionError e) {
                throw new AssertionError("walk " + walk + ": " + world.story, e);
            }
            byEvent += world.endedByEvent;
        }
        assertThat(byEvent).as("calls that an event ended").isGreaterThan(WALKS / 5);
    }

    static SessionNotice.InstanceEvent event(long seq, RecordOrigin request) {
        return new SessionNotice.InstanceEvent(
                3,
                "p-1",
                5,
                seq,
                "mcp.tool.result",
                "p-1",
                RawJson.of("{}"),
                null,
                request,
                null,
                null,
                null);
    }

    /** An order that the worker has not read, or an acceptance that is kept back for a moment. */
    private record Sent(long id, long request) {}

    private record Entry(long request, boolean result) {}

    /** A call whose end was not taken. */
    private static final class Pending {
        private @Nullable PendingAcceptance acceptance;
        private int ends;
    }

    private final class World {
        final List<String> story = new ArrayList<>();
        final Map<Long, Pending> pending = new HashMap<>();
        final Set<Long> taken = new HashSet<>();
        final List<Long> results = new ArrayList<>();
        int endedByEvent;
        private final SplittableRandom random;
        private final AtomicLong ids = new AtomicLong();
        private final RecordingSessionListener listener = new RecordingSessionListener();
        final PartitionSession session;
        private @Nullable LinkConnection connection;
        private long generation;

        private final Set<Long> accepted = new HashSet<>();
        private final Set<Long> running = new LinkedHashSet<>();
        private final List<Entry> journal = new ArrayList<>();
        private int delivered;
        private final List<Sent> wire = new ArrayList<>();
        private final List<Sent> keptBack = new ArrayList<>();
        private final List<LinkFrame> answers = new ArrayList<>();

        World(long seed) throws InterruptedException {
            random = new SplittableRandom(seed);
            session =
                    new PartitionSession(
                            LinkFixture.CLAIM,
                            "worker-1",
                            true,
                            listener,
                            LinkFixture.LEASE,
                            new AnyHost(),
                            ids,
                            1 << 20,
                            new EventMemory(ByteBudget.of(1 << 30)),
                            meters);
            attach();
        }

        void step() throws InterruptedException {
            switch (random.nextInt(16)) {
                case 0, 1, 2 -> offer(random.nextInt(REQUESTS));
                case 3, 4, 5 -> read();
                case 6, 7 -> say();
                case 8 -> progress();
                case 9, 10 -> finish();
                case 11, 12 -> tell();
                case 13 -> sayKeptBack();
                case 14 -> cut();
                default -> attach();
            }
            takeEnded();
        }

        /** Nothing is cut or refused any more. */
        void calm() throws InterruptedException {
            attach();
            for (int round = 0; round < 2; round++) {
                for (long request = 0; request < REQUESTS; request++) {
                    offer(request);
                }
                while (!wire.isEmpty()) {
                    take(wire.removeFirst(), false);
                }
                sayKeptBack();
                while (!answers.isEmpty()) {
                    say();
                }
                takeEnded();
            }
            while (!running.isEmpty()) {
                finish();
            }
            while (delivered < journal.size()) {
                tell();
            }
        }

        private void offer(long request) {
            if (connection == null || taken.contains(request) || pending.containsKey(request)) {
                return;
            }
            story.add("offer " + request);
            var call = new Pending();
            call.acceptance = session.offer(LinkFixture.order(request), () -> call.ends++);
            assertThat(call.acceptance).isNotNull();
            pending.put(request, call);
            session.flush();
        }

        private void read() {
            if (!wire.isEmpty()) {
                take(wire.removeFirst(), true);
            }
        }

        /** The worker reads an order. */
        private void take(Sent order, boolean mayRefuse) {
            long request = order.request();
            if (!accepted.contains(request) && mayRefuse && random.nextInt(5) == 0) {
                story.add("refuse " + request);
                answers.add(new LinkFrame.Failure(order.id(), LinkError.OVERLOADED.code(), "full"));
                return;
            }
            story.add("accept " + request);
            if (accepted.add(request)) {
                running.add(request);
            }
            if (random.nextBoolean()) {
                keptBack.add(order);
            } else {
                answers.add(acceptance(order));
            }
        }

        private static LinkFrame acceptance(Sent order) {
            return new LinkFrame.Response(order.id(), RawJson.EMPTY_OBJECT);
        }

        private void sayKeptBack() {
            keptBack.forEach(order -> answers.add(acceptance(order)));
            keptBack.clear();
        }

        private void say() {
            var to = connection;
            if (!answers.isEmpty() && to != null) {
                var answer = answers.remove(random.nextInt(answers.size()));
                story.add("say " + answer);
                to.message(answer.encode());
            }
        }

        private void progress() {
            for (long request : running) {
                journal.add(new Entry(request, false));
            }
        }

        private void finish() {
            if (!running.isEmpty()) {
                long request = running.iterator().next();
                running.remove(request);
                journal.add(new Entry(request, true));
            }
        }

        /** The next entry arrives. */
        private void tell() {
            var to = connection;
            if (to == null || delivered == journal.size()) {
                return;
            }
            var entry = journal.get(delivered++);
            story.add("tell " + entry);
            if (entry.result()) {
                results.add(entry.request());
                keptBack.removeIf(order -> order.request() == entry.request());
            }
            var call = pending.get(entry.request());
            boolean open = call != null && call.ends == 0;
            tell(to, event(delivered, LinkFixture.at(entry.request())));
            if (call != null) {
                assertThat(call.ends).as("%s ends its call", entry).isOne();
                endedByEvent += open ? 1 : 0;
            }
        }

        private static void tell(LinkConnection to, SessionNotice.InstanceEvent event) {
            to.message(new LinkFrame.Notification(LinkMethod.EVENT, Json.raw(event)).encode());
        }

        /** What was not read is lost, or was read and its acceptance is lost. */
        private void cut() {
            var closed = connection;
            if (closed == null) {
                return;
            }
            story.add("cut");
            while (!wire.isEmpty() && random.nextBoolean()) {
                take(wire.removeFirst(), true);
            }
            wire.clear();
            answers.clear();
            keptBack.clear();
            connection = null;
            if (delivered > 0) {
                notHeard(delivered); // A repeat.
            }
            closed.close("cut");
            session.suspend(closed);
            notHeard(1_000); // Of a connection that is no longer the session's.
        }

        /** An event that is no news accepts no request. */
        private void notHeard(long seq) {
            pending.forEach(
                    (request, call) -> {
                        int ends = call.ends;
                        session.event(generation, event(seq, LinkFixture.at(request)), 1);
                        assertThat(call.ends).as("%d by no news", request).isEqualTo(ends);
                    });
        }

        private void attach() throws InterruptedException {
            if (connection != null) {
                return;
            }
            story.add("attach");
            var next = connect();
            connection = next;
            assertThat(session.attach(next, "gateway-1", Duration.ofMinutes(1)))
                    .isEqualTo(PartitionSession.AttachStep.ATTACHED);
        }

        private LinkConnection connect() {
            var made =
                    new LinkConnection(
                            ++generation,
                            ids,
                            LinkFixture.options(
                                    1, FakeWorker.TOKEN, null, Duration.ofSeconds(1), 1 << 20),
                            new ToSession(session),
                            meters);
            made.socket().onOpen(new Wire(this, made), Callback.NOOP);
            return made;
        }

        /** The gateway sent something on a connection that is not cut. */
        private void sent(LinkConnection by, LinkFrame.Request request) {
            if (request.method().equals(LinkMethod.EXECUTE)) {
                long offset = ToolOrder.Execute.read(request.params()).origin().offset();
                wire.add(new Sent(request.id(), offset));
                return;
            }
            assertThat(request.method()).isEqualTo(LinkMethod.ATTACH);
            var cursors = Json.read(request.params(), Attach.Request.class).cursors();
            delivered = cursors.isEmpty() ? 0 : (int) cursors.getFirst().afterSeq();
            by.message(FakeWorker.answer(request, FakeWorker.attached(true, list())).encode());
            for (long each : accepted) {
                var call = pending.get(each);
                assertThat(call == null ? 1 : call.ends).as("%d is listed", each).isOne();
            }
        }

        private Attach.AcceptedRecord[] list() {
            return accepted.stream()
                    .map(
                            each ->
                                    new Attach.AcceptedRecord(
                                            LinkFixture.at(each),
                                            running.contains(each)
                                                    ? Attach.Progress.RUNNING
                                                    : Attach.Progress.JOURNALLED))
                    .toArray(Attach.AcceptedRecord[]::new);
        }

        /** What the owner does with calls that ended: a refused one is sent again. */
        void takeEnded() {
            pending.entrySet()
                    .removeIf(
                            each -> {
                                var call = each.getValue();
                                assertThat(call.ends).isLessThanOrEqualTo(1);
                                return call.ends == 1 && taken(each.getKey(), call);
                            });
        }

        private boolean taken(long request, Pending call) {
            var ended = call.acceptance;
            assertThat(ended).isNotNull();
            try {
                assertThat(ended.take().answered()).isNull();
                assertThat(accepted).as("accepted by the worker").contains(request);
                assertThat(taken.add(request)).as("the first end of %d", request).isTrue();
            } catch (LinkException e) {
                assertThat(e.reason()).isIn(Reason.OVERLOADED, Reason.LOST);
            }
            return true;
        }
    }

    /** The gateway's end of a connection; what is sent after its cut is lost. */
    private static final class Wire extends CoreSession.Empty {
        private final World world;
        private final LinkConnection connection;

        Wire(World world, LinkConnection connection) {
            this.world = world;
            this.connection = connection;
        }

        @Override
        public void sendFrame(OutgoingEntry entry) {
            var frame = entry.getFrame();
            if (!connection.isClosed()
                    && LinkFrame.decode(frame.getPayloadAsUTF8().getBytes(UTF_8))
                            instanceof LinkFrame.Request request) {
                world.sent(connection, request);
            }
            entry.getCallback().succeeded();
        }
    }

    private static final class AnyHost implements PartitionSession.Host {
        @Override
        public void ended(PartitionSession session) {}

        @Override
        public boolean unlessReplaced(PartitionSession session, Runnable action) {
            action.run();
            return true;
        }
    }

    private record ToSession(PartitionSession session) implements NoticeHandler {
        @Override
        public void event(long generation, SessionNotice.InstanceEvent event, int creditBytes) {
            session.event(generation, event, creditBytes);
        }

        @Override
        public void fenced(SessionNotice.Fenced fenced) {}

        @Override
        public void ended(SessionNotice.Ended ended) {}

        @Override
        public void draining(SessionNotice.Draining draining) {}

        @Override
        public void heartbeat(RawJson heartbeat) {}
    }
}
