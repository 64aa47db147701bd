package dev.perigee.testing.gateway;

import dev.perigee.gateway.Fleet;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.PartitionLink;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerListener;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.RecordedHost;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.InstanceOrder.Apply;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder.Execute;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One worker in memory, as gateways see it: sessions that outlive gateways, epochs that fence,
 * journals that are replayed until acknowledged. What it does with calls is the test's to say.
 */
final class HandMadeFleet implements Fleet {
    static final String WORKER = "worker-1";

    /** What happens to a call that was accepted. */
    enum Calls {
        ANSWER,
        KEEP_SILENT
    }

    private final Map<Integer, HandMadeSession> sessions = new ConcurrentHashMap<>();
    final List<Execute> executed = new CopyOnWriteArrayList<>();
    final List<Apply> applied = new CopyOnWriteArrayList<>();
    final List<String> trials = new CopyOnWriteArrayList<>();
    final List<String> orders = new CopyOnWriteArrayList<>();
    final List<Integer> releases = new CopyOnWriteArrayList<>();
    final List<String> stays = new CopyOnWriteArrayList<>();
    volatile Calls calls = Calls.ANSWER;
    volatile SessionNotice.Phase phase = SessionNotice.Phase.SERVING;

    /** The tool that runs again where others may have run. */
    static final String LOOK = "look";

    static boolean isHarmless(Execute call) {
        return String.valueOf(call.request().toolPath()).endsWith(":" + LOOK);
    }

    /** Removals end when this is at zero. */
    volatile CountDownLatch removals = new CountDownLatch(0);

    /** Journals are replayed when this is at zero. */
    volatile CountDownLatch replays = new CountDownLatch(0);

    /** Hears of each session that is about to end as it was asked to. */
    volatile IntConsumer beforeEnd = _ -> {};

    /** The worker is taken for dead, though it goes on. */
    volatile boolean outOfSight;

    /** Gateways that do not hear the worker, by id. */
    final Set<String> deaf = ConcurrentHashMap.newKeySet();

    /** No worker is to be had, as when it leaves. */
    volatile boolean away;

    /** A gateway does not hear that another has taken its session. */
    volatile boolean tellsNobodyOfSuccessors;

    private final AtomicInteger incarnations = new AtomicInteger();
    private final List<WorkerListener> listeners = new CopyOnWriteArrayList<>();

    @Override
    public WorkerLinks connect(String gatewayId, WorkerListener listener, MeterRegistry registry) {
        listeners.add(listener);
        return new WorkerLinks() {
            @Override
            public PartitionLink open(
                    PartitionClaim claim,
                    String workerId,
                    String incarnation,
                    boolean create,
                    SessionListener session) {
                if (!incarnation.equals("incarnation-" + incarnations.get())) {
                    throw new IllegalArgumentException("another process");
                }
                return sessions.computeIfAbsent(
                                claim.partition(),
                                partition -> new HandMadeSession(HandMadeFleet.this, claim))
                        .attach(claim, session);
            }

            @Override
            public List<WorkerView> workers() {
                return List.of(
                        new WorkerView(
                                URI.create("ws://127.0.0.1:1/link"),
                                WORKER,
                                "incarnation-" + incarnations.get(),
                                outOfSight ? LinkState.FAILED : LinkState.CONNECTED,
                                Instant.EPOCH,
                                Instant.EPOCH,
                                Duration.ofSeconds(30),
                                Hello.USUAL_CAPACITY,
                                phase,
                                null,
                                false));
            }

            @Override
            public Set<String> heard() {
                return outOfSight || deaf.contains(gatewayId) ? Set.of() : Set.of(WORKER);
            }

            @Override
            public void stays(String workerId, String reason) {
                stays.add(reason);
            }

            @Override
            public void prepare(String workerId, List<ServerConfig> configs, Duration atMost) {}

            @Override
            public void close() {}
        };
    }

    @Override
    public HostDecision place(
            int partition,
            @Nullable RecordedHost recorded,
            LastHeld held,
            List<WorkerView> workers,
            Instant now) {
        return away || phase != SessionNotice.Phase.SERVING
                ? new HostDecision.Wait(now.plusMillis(100), "takes none")
                : new HostDecision.Place(WORKER);
    }

    /** The worker dies and comes back without its sessions. */
    void restart() {
        incarnations.incrementAndGet();
        var lost = List.copyOf(sessions.values());
        sessions.clear();
        lost.forEach(session -> session.lose(LinkFailure.INCARNATION_CHANGED));
    }

    /** The worker says what it is about to do. */
    void announce(SessionNotice.Phase next) {
        phase = next;
        listeners.forEach(WorkerListener::changed);
    }

    /** Gateways lose sight of the worker, which goes on. */
    void cut() {
        sessions.values().forEach(session -> session.lose(LinkFailure.UNREACHABLE));
    }

    /** A gateway gave a session up. */
    void released(HandMadeSession session, int partition) {
        releases.add(partition);
        session.endWhenHeard();
    }

    /** All that a session said is acknowledged; the next one is created anew. */
    void ended(HandMadeSession session, int partition) {
        beforeEnd.accept(partition);
        sessions.remove(partition, session);
        session.lose(LinkFailure.ENDED);
    }

    HandMadeSession session(int partition) {
        var session = sessions.get(partition);
        if (session == null) {
            throw new AssertionError("no session of partition " + partition);
        }
        return session;
    }

    /** Answers all calls that were accepted and kept silent about. */
    void answerAll() {
        calls = Calls.ANSWER;
        sessions.values().forEach(HandMadeSession::answerAll);
    }
}
