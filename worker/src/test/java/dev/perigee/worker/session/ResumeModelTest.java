package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.worker.instance.InstanceIdentity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random cuts, takeovers and acknowledgements while instances go on to speak. */
final class ResumeModelTest {
    private static final List<String> INSTALLATIONS = List.of("i1", "i2", "i3");
    private static final int EVENTS = 400;
    private static final long BREATH_NANOS = 10_000;

    private final FakeInstances instances = new FakeInstances();
    private final SessionRegistry sessions =
            new SessionRegistry(
                    "w-1",
                    LinkServerFixture.OPTIONS,
                    instances,
                    new SimpleMeterRegistry(),
                    Clock.systemUTC());

    /** What the backend reads: each number once, the repeats of a takeover removed. */
    private final Map<String, List<Long>> published = new HashMap<>();

    /** Holes and repeats within one connection: seen on the feeds' threads, judged at the end. */
    private final List<String> violations = new CopyOnWriteArrayList<>();

    private long epoch = 1;
    private long generation = 1;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 7, 42, 4711, 20261120})
    @DisplayName("RES-24 RES-17 RES-18 every entry arrives once and in order, whatever is cut")
    void deliversEverythingOnceAndInOrder(long seed) throws Exception {
        var random = new Random(seed);
        var peer = new Peer("g-0", violations);
        attach(peer, true);
        for (var installation : INSTALLATIONS) {
            sessions.asOwner(
                    peer,
                    Orders.PARTITION,
                    session -> session.apply("a", Orders.apply(null, installation, 1)));
        }
        var speaker = Thread.ofVirtual().start(() -> speak(new Random(seed + 1)));
        while (speaker.isAlive()) {
            switch (random.nextInt(4)) {
                case 0 -> peer = reconnect(peer, random);
                case 1 -> acknowledge(peer, random);
                case 2 -> grant(peer, random.nextInt(2000));
                default -> LockSupport.parkNanos(BREATH_NANOS);
            }
        }
        peer = reconnect(peer, random);
        var last = peer;
        grant(last, 1 << 30);
        await("seed " + seed).until(() -> last.isComplete(published));
        publish(last);
        assertThat(violations).as("seed %d", seed).isEmpty();
        for (var installation : INSTALLATIONS) {
            assertThat(published.get(Orders.config(installation).processId()))
                    .as("seed %d, %s", seed, installation)
                    .isEqualTo(LongStream.rangeClosed(1, EVENTS).boxed().toList());
        }
    }

    /**
     * One event at about the moment of an attach, and none after it: whether it falls to the replay
     * or to what is live, it comes without anything else happening.
     */
    @Test
    @DisplayName("RES-02 there is no window between the replay and what is live")
    void losesNothingAroundAnAttach() throws Exception {
        var random = new Random(20261121);
        var peer = new Peer("g-0", violations);
        attach(peer, true);
        sessions.asOwner(
                peer, Orders.PARTITION, session -> session.apply("a", Orders.apply(null, "i1", 1)));
        var journal = instances.instance("i1").journal();
        for (long seq = 1; seq <= 200; seq++) {
            drop(peer);
            generation++;
            var next = new Peer("g-0", violations);
            next.cursors.putAll(peer.has());
            var together = new CyclicBarrier(2);
            int spins = random.nextInt(20_000);
            var speaker =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        pass(together);
                                        for (int i = 0; i < spins; i++) {
                                            Thread.onSpinWait();
                                        }
                                        journal.append(Events.status(), null, null);
                                    });
            pass(together);
            attach(next, false);
            speaker.join();
            long expected = seq;
            await("event " + seq)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> next.has().containsValue(expected));
            peer = next;
        }
        assertThat(violations).isEmpty();
    }

    private static void pass(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }

    private void speak(Random random) {
        var left = new ArrayList<String>();
        INSTALLATIONS.forEach(each -> left.addAll(Collections.nCopies(EVENTS, each)));
        Collections.shuffle(left, random);
        for (var installation : left) {
            instances.instance(installation).journal().append(Events.status(), null, null);
            if (random.nextInt(8) == 0) {
                LockSupport.parkNanos(BREATH_NANOS);
            }
        }
    }

    private Peer reconnect(Peer old, Random random) throws LinkRefusal {
        boolean takeover = random.nextInt(3) == 0;
        boolean noticed = random.nextBoolean();
        if (noticed) {
            drop(old);
        }
        generation++;
        epoch += takeover ? 1 : 0;
        var next = new Peer(takeover ? "g-" + epoch : old.gatewayId(), violations);
        if (!takeover) {
            old.ignore();
            publish(old);
            next.cursors.putAll(old.has());
        }
        attach(next, false);
        if (!noticed) {
            drop(old);
        }
        if (takeover) {
            publish(old);
        }
        return next;
    }

    private void drop(Peer peer) {
        peer.open = false;
        sessions.closed(peer);
    }

    private void attach(Peer peer, boolean create) throws LinkRefusal {
        var cursors =
                peer.cursors.entrySet().stream()
                        .map(each -> new Attach.Cursor(each.getKey(), 1, each.getValue()))
                        .toList();
        var request =
                new Attach.Request(
                        Orders.PARTITION,
                        epoch,
                        peer.gatewayId(),
                        generation,
                        create,
                        cursors,
                        create ? 1 << 20 : 3000,
                        null);
        assertThat(sessions.attach(peer, request, 1)).isNull();
        assertThat(peer.answer.get()).isNotNull();
    }

    private void acknowledge(Peer peer, Random random) throws LinkRefusal {
        publish(peer);
        var acks = new ArrayList<SessionNotice.ProcessAck>();
        // A gateway acknowledges what it has itself, be it from an earlier connection.
        peer.has()
                .forEach(
                        (process, seq) ->
                                acks.add(
                                        new SessionNotice.ProcessAck(
                                                process, seq - random.nextInt(3))));
        var ack = new SessionNotice.Ack(Orders.PARTITION, acks);
        sessions.asOwner(
                peer,
                Orders.PARTITION,
                session -> {
                    session.acknowledge(ack);
                    return true;
                });
    }

    private void grant(Peer peer, long bytes) throws LinkRefusal {
        sessions.asOwner(
                peer,
                Orders.PARTITION,
                session -> {
                    session.grant(new SessionNotice.Credit(Orders.PARTITION, bytes));
                    return true;
                });
    }

    /** What a gateway received is public; a repeat has the same number and is removed. */
    private void publish(Peer peer) {
        for (var event : peer.take()) {
            var seqs = published.computeIfAbsent(event.processId(), ignored -> new ArrayList<>());
            if (seqs.isEmpty() || event.seq() > seqs.getLast()) {
                seqs.add(event.seq());
            }
        }
    }

    /** A connection that keeps what it is sent, and checks that it is one sequence. */
    private static final class Peer implements LinkPeer {
        final Map<String, Long> cursors = new HashMap<>();
        final Map<String, Long> seen = new HashMap<>();
        final AtomicReference<Attach.@Nullable Result> answer = new AtomicReference<>();
        volatile boolean open = true;
        private final List<String> violations;
        private boolean ignored;
        private final String gatewayId;
        private final List<InstanceEvent> received = new ArrayList<>();

        Peer(String gatewayId, List<String> violations) {
            this.gatewayId = gatewayId;
            this.violations = violations;
        }

        /** The last entry that this gateway has of each process. */
        synchronized Map<String, Long> has() {
            var has = new HashMap<>(cursors);
            has.putAll(seen);
            return has;
        }

        /** The gateway hears nothing of this connection any more, though it is not closed yet. */
        synchronized void ignore() {
            ignored = true;
        }

        synchronized List<InstanceEvent> take() {
            var taken = List.copyOf(received);
            received.clear();
            return taken;
        }

        synchronized boolean isComplete(Map<String, List<Long>> published) {
            return INSTALLATIONS.stream()
                    .map(each -> InstanceIdentity.of(0, 0, Orders.config(each)).processId())
                    .allMatch(
                            process ->
                                    Math.max(
                                                    seen.getOrDefault(process, 0L),
                                                    published
                                                            .getOrDefault(process, List.of(0L))
                                                            .getLast())
                                            == EVENTS);
        }

        @Override
        public Duration holds() {
            return Duration.ofDays(1);
        }

        @Override
        public String gatewayId() {
            return gatewayId;
        }

        @Override
        public @Nullable String stays() {
            return null;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void attached(long requestId, Object result) {
            answer.set((Attach.Result) result);
        }

        @Override
        public void tell(String method, Object params) {}

        @Override
        public void flush() {}

        @Override
        public int awaitRoom(int bytes) {
            return bytes;
        }

        @Override
        public void returnRoom(int reserved) {}

        @Override
        public synchronized boolean sendEvent(byte[] frame, int reserved) {
            var notice = (LinkFrame.Notification) LinkFrame.decode(frame);
            var event = Json.read(notice.params(), InstanceEvent.class);
            var last = seen.get(event.processId());
            if (last == null) {
                last = cursors.get(event.processId());
            }
            if (!ignored && last != null && event.seq() != last + 1) {
                violations.add(gatewayId + ": " + event.seq() + " follows " + last);
            }
            if (open && !ignored) {
                seen.put(event.processId(), event.seq());
                received.add(event);
            }
            return open;
        }
    }
}
