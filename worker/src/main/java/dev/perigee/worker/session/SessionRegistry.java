package dev.perigee.worker.session;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.worker.instance.InstanceHost;
import dev.perigee.worker.instance.InstanceSnapshot;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Sessions of all partitions of a worker. Safe for use by any thread. */
public final class SessionRegistry {
    /** Results that repeats are answered with are a sixteenth of the heap, at most. */
    private static final int RESULTS_OF_HEAP = 16;

    /** Gateways come and go without a word to sessions. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Map<Integer, PartitionSlot> slots = new ConcurrentHashMap<>();
    private final SessionContext context;
    private final SessionReaper reaper;
    private final TrialPlace place = new TrialPlace();
    private final AtomicReference<DrainState> drain = new AtomicReference<>(DrainState.SERVING);

    /** A registry without sessions; {@link #start} it before the first attach. */
    public SessionRegistry(
            String workerId,
            SessionOptions options,
            InstanceHost instances,
            MeterRegistry meters,
            InstantSource clock) {
        this(workerId, options, instances, meters, clock, new SteadyClock(clock, System::nanoTime));
    }

    /**
     * The same by given clocks.
     *
     * @param deadlines when sessions end
     */
    SessionRegistry(
            String workerId,
            SessionOptions options,
            InstanceHost instances,
            MeterRegistry meters,
            InstantSource clock,
            InstantSource deadlines) {
        var budget = options.journals();
        var requestIds = options.requestIds();
        var results = ByteBudget.ofHeap(RESULTS_OF_HEAP);
        var arguments = options.calls().arguments();
        this.context =
                new SessionContext(
                        options,
                        instances,
                        new EventFrames(workerId, clock),
                        budget,
                        new SessionMetrics(meters),
                        new AcknowledgementSignal(),
                        new CallPermits(options.calls(), arguments, clock),
                        requestIds,
                        results,
                        clock,
                        deadlines);
        this.reaper = new SessionReaper(deadlines, this::expireDue);
        gauge(
                meters,
                "perigee.worker.journal.entries",
                "Entries that no gateway acknowledged",
                HostedSession::journalEntries);
        gauge(
                meters,
                "perigee.worker.journal.bytes",
                "Bytes of entries that no gateway acknowledged",
                HostedSession::journalBytes);
        gauge(
                meters,
                "perigee.worker.requests.running",
                "Requests without a result yet",
                HostedSession::runningRequests);
        Gauge.builder("perigee.worker.journal.large.bytes", budget, ByteBudget::used)
                .description("Memory of all entries that no gateway acknowledged, large or not")
                .register(meters);
        limit(
                meters,
                "perigee.worker.journal.large.limit.bytes",
                "journal.large-budget: from here on calls are refused",
                budget.limit());
        limit(
                meters,
                "perigee.worker.requests.limit",
                "worker.max-concurrent-calls: from here on calls are held back",
                options.calls().worker());
        Gauge.builder("perigee.worker.requests.kept.bytes", results, ByteBudget::used)
                .description("Results that are kept to answer repeats with")
                .register(meters);
        Gauge.builder("perigee.worker.requests.open.bytes", arguments, ByteBudget::used)
                .description("Bytes of the arguments of requests without a result yet")
                .register(meters);
        limit(
                meters,
                "perigee.worker.requests.open.limit.bytes",
                "worker.open-bytes: from here on calls are held back",
                arguments.limit());
        Gauge.builder("perigee.worker.requests.remembered", requestIds, IdBudget::used)
                .description("Ids of requests that run or were answered a while ago")
                .register(meters);
        limit(
                meters,
                "perigee.worker.requests.remembered.limit",
                "requests.repeat-memory: from here on calls are refused",
                requestIds.limit());
        for (boolean attached : new boolean[] {true, false}) {
            Gauge.builder("perigee.worker.sessions", this, it -> it.count(attached))
                    .description("Sessions, by whether a gateway is attached")
                    .tag("attached", Boolean.toString(attached))
                    .register(meters);
        }
    }

    private static void limit(MeterRegistry meters, String name, String description, long value) {
        Gauge.builder(name, () -> value).description(description).register(meters);
    }

    private void gauge(
            MeterRegistry meters,
            String name,
            String description,
            ToLongFunction<HostedSession> size) {
        Gauge.builder(name, this, it -> it.sessions().stream().mapToLong(size).sum())
                .description(description)
                .register(meters);
    }

    /** Starts to expire sessions that no gateway holds. */
    public void start() {
        reaper.start();
    }

    SessionMetrics metrics() {
        return context.metrics();
    }

    Duration retention() {
        return context.options().retention();
    }

    /** How long an attach waits at most for the end of an expired session. */
    Duration endingLimit() {
        return context.options().expiryGrace().plusSeconds(2);
    }

    /** See {@link PartitionSlot#attach}. */
    @Nullable SessionEnding attach(LinkPeer peer, Attach.Request request, long requestId)
            throws LinkRefusal {
        var slot =
                slots.computeIfAbsent(
                        request.partition(), partition -> new PartitionSlot(partition, context));
        var ending = slot.attach(peer, request, requestId, () -> drain.get().takesSessions());
        reaper.reconsider();
        return ending;
    }

    /** A gateway still has these; see {@link PartitionSlot#extend}. */
    void extend(LinkPeer peer, Lease.Request request) {
        for (var held : request.held()) {
            var slot = slots.get(held.partition());
            if (slot != null) {
                slot.extend(peer, held);
            }
        }
        reaper.reconsider();
    }

    /** A gateway answered a ping, so that it holds what it is attached to. */
    void answered(LinkPeer peer) {
        var linkEnd = context.heldBy(peer);
        slots.values().forEach(slot -> slot.answered(peer, linkEnd));
    }

    /** The clock of deadlines, in which gateways say until when their leases last. */
    long clockMs() {
        return context.deadlines().millis();
    }

    /** See {@link PartitionSlot#release}. */
    Attach.Released release(LinkPeer peer, Attach.Release release) throws LinkRefusal {
        return slot(release.partition()).release(peer, release);
    }

    /** See {@link InstanceHost#prepare}. */
    void prepare(ServerConfig config) throws InterruptedException {
        context.instances().prepare(config);
    }

    /** Grants an owner the place for an instance that starts alone, or takes it back. */
    Attach.TrialPlace trial(LinkPeer peer, Attach.Trial trial) throws LinkRefusal {
        return asServed(
                peer,
                trial.partition(),
                session -> {
                    if (trial.processId() == null) {
                        place.giveBack(session);
                        return new Attach.TrialPlace(false);
                    }
                    return new Attach.TrialPlace(
                            place.take(
                                    session,
                                    Duration.ofMillis(trial.atMostMs()),
                                    System.nanoTime()));
                });
    }

    /** Lets a connection leave a partition that it attached with this epoch. */
    void detach(LinkPeer peer, int partition, long epoch) {
        var slot = slots.get(partition);
        if (slot != null) {
            slot.detach(peer, epoch);
            reaper.reconsider();
        }
    }

    /** A connection is gone, and says so when asked: it leaves what it is attached to. */
    void closed(LinkPeer peer) {
        slots.values().forEach(slot -> slot.detach(peer));
        reaper.reconsider();
    }

    /** Does what an owner asks for with its session; see {@link PartitionSlot#asOwner}. */
    <T> T asOwner(LinkPeer peer, int partition, PartitionSlot.OwnerAction<T> action)
            throws LinkRefusal {
        return slot(partition).asOwner(peer, action);
    }

    /** As {@link #asOwner}, for what needs a session that goes on. */
    <T> T asServed(LinkPeer peer, int partition, PartitionSlot.OwnerAction<T> action)
            throws LinkRefusal {
        return slot(partition).asServed(peer, action);
    }

    /** True when the partition's session is being ended. */
    boolean isDeparting(int partition) {
        var slot = slots.get(partition);
        return slot != null && slot.isDeparting();
    }

    private PartitionSlot slot(int partition) throws LinkRefusal {
        var slot = slots.get(partition);
        if (slot == null) {
            throw new LinkRefusal(
                    LinkError.SESSION_EXPIRED, "no session: create one with a fresh claim");
        }
        return slot;
    }

    /** The sessions that there are. */
    List<Hello.SessionSummary> summaries() {
        return slots.values().stream()
                .filter(slot -> slot.epoch() >= 0)
                .map(slot -> new Hello.SessionSummary(slot.partition(), slot.epoch()))
                .sorted(Comparator.comparingInt(Hello.SessionSummary::partition))
                .toList();
    }

    /** The partitions whose sessions are here. */
    public List<Integer> partitions() {
        return summaries().stream().map(Hello.SessionSummary::partition).toList();
    }

    /** All instances of all sessions, as they are now. */
    public List<InstanceSnapshot> instances() {
        return sessions().stream().flatMap(session -> session.instances().stream()).toList();
    }

    /** Drain phase of the worker, as published to gateways. */
    public DrainState drainState() {
        return drain.get();
    }

    /** From now on no session is created, and those that there are shall leave. */
    public DrainState drain(String reason, Duration timeout) {
        var until = context.clock().instant().plus(timeout);
        return drain.updateAndGet(state -> state.drain(reason, until));
    }

    /** The same, for good. */
    public DrainState stop(String reason, Duration timeout) {
        var until = context.clock().instant().plus(timeout);
        return drain.updateAndGet(state -> state.stop(reason, until));
    }

    /** Sessions are created again. */
    public DrainState undoDrain() {
        return drain.updateAndGet(DrainState::undo);
    }

    /** How far the drain is. */
    public DrainProgress drainProgress() {
        var left =
                slots.values().stream()
                        .map(PartitionSlot::left)
                        .filter(Objects::nonNull)
                        .sorted(Comparator.comparingInt(DrainProgress.Left::partition))
                        .toList();
        var state = drain.updateAndGet(before -> before.left(left.size()));
        return new DrainProgress(
                state.phase(), state.version(), state.reason(), state.deadline(), left);
    }

    /**
     * Waits until no gateway has anything here any more, or the time is over. A session that nobody
     * is attached to is waited for while there is a gateway that may take it over, until it
     * expires: what it holds would be lost between two owners.
     *
     * @param gateways whether any is connected
     */
    public void awaitLeft(Duration limit, BooleanSupplier gateways) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean left;
        do {
            var look =
                    Duration.ofNanos(Math.clamp(deadline - System.nanoTime(), 0, LOOK.toNanos()));
            left = context.acknowledged().await(() -> isLeft(gateways.getAsBoolean()), look);
        } while (!left && System.nanoTime() < deadline);
    }

    private boolean isLeft(boolean gateways) {
        return slots.values().stream().noneMatch(slot -> slot.holdsBack(gateways));
    }

    /**
     * Ends all processes, waits until gateways acknowledged what that led to, then ends the
     * sessions. Call {@link #stop} before. Bounded by the options.
     */
    public void shutDown() throws InterruptedException {
        reaper.close();
        slots.values().forEach(PartitionSlot::depart);
        var options = context.options();
        var _ =
                context.acknowledged()
                        .await(
                                () -> slots.values().stream().allMatch(PartitionSlot::isAtRest),
                                options.terminationLimit()
                                        .plus(options.flushLimit())
                                        .plusSeconds(1));
        slots.values().forEach(PartitionSlot::endNow);
        for (var slot : slots.values()) {
            slot.awaitEnded(options.expiryGrace());
        }
    }

    private @Nullable Instant expireDue() {
        sessions().forEach(HostedSession::forgetOld);
        Instant next = null;
        for (var slot : slots.values()) {
            var deadline = slot.expireIfDue();
            if (deadline != null && (next == null || deadline.isBefore(next))) {
                next = deadline;
            }
        }
        return next;
    }

    private List<HostedSession> sessions() {
        var sessions = new ArrayList<HostedSession>();
        for (var slot : slots.values()) {
            var session = slot.current();
            if (session != null) {
                sessions.add(session);
            }
        }
        return sessions;
    }

    private long count(boolean attached) {
        return slots.values().stream()
                .filter(slot -> slot.epoch() >= 0 && slot.isAttached() == attached)
                .count();
    }
}
