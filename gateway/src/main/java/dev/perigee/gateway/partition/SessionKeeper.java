package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.gateway.link.SteadyTime;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.Hosted;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.gateway.placement.RecordedHost;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the owner a session and keeps it: claim, restore, place, attach, and all over when it is
 * gone. For the owner's thread; {@link #state} any thread.
 *
 * <p>A claim is written in a transaction that carries the group's offsets, after the committed
 * offsets were read: so a gateway that is no longer a member cannot claim, and nothing that an
 * older owner had under way can follow the claim. The state is read up to the claim, which waits
 * for older transactions to end.
 */
final class SessionKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(SessionKeeper.class);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);
    private static final Duration UNREADABLE_RETRY = Duration.ofSeconds(30);

    /** States of a process, as a worker names them, in which there is none. */
    private static final Set<String> ASLEEP = Set.of("terminated", "failed");

    private final PartitionContext context;
    private final CommandFlow commands;
    private final CallFlow calls;
    private final EventFlow events;
    private final Quarantine quarantine;
    private final Restoration restoration;
    private final Claims claims;
    private final Departure departure;
    private final Warming warming;
    private final Resealing resealing;
    private final RestoreProblem problem;
    private final OwnStatuses statuses;
    private @Nullable PartitionClaim claim;
    private boolean recordingHost;
    private Timers.@Nullable Entry retry;
    private Duration pause = RETRY;
    private LastHeld lastHeld;
    private volatile boolean departing;
    private volatile Hosted hosted;
    private volatile @Nullable String host;
    private volatile OwnerState state = OwnerState.RESTORING;
    private volatile int outdated;

    SessionKeeper(
            PartitionContext context, CommandFlow commands, CallFlow calls, Quarantine quarantine) {
        this.context = context;
        this.quarantine = quarantine;
        this.commands = commands;
        this.calls = calls;
        this.events = new EventFlow(context, calls);
        this.restoration = new Restoration(context, quarantine, calls::serving);
        this.claims = new Claims(context);
        this.resealing = new Resealing(context);
        this.problem = new RestoreProblem(context.partition());
        this.statuses = new OwnStatuses(context);
        this.departure = new Departure(context, calls, () -> Quietly.run(this::serve));
        this.warming = new Warming(context, quarantine);
        this.lastHeld = gained(context);
        this.hosted = new Hosted(context.partition(), null, 0);
    }

    /** Others may have had it until it was gained; this gateway itself until this tenure began. */
    private static LastHeld gained(PartitionContext context) {
        var now = SteadyTime.now();
        long since = context.feed().lease().now() - context.feed().gainedAt();
        return new LastHeld(now.minusNanos(since), now);
    }

    OwnerState state() {
        return departing && state == OwnerState.SERVING ? OwnerState.MOVING : state;
    }

    /** What somebody has to do something about, null when nothing is. */
    @Nullable String problem() {
        return problem.text();
    }

    /** Secrets that are not kept as they would be written now. */
    int outdated() {
        return outdated;
    }

    /** Where the partition is served. */
    Hosted hosted() {
        return hosted;
    }

    /** The recorded host, which may run the partition's processes. */
    @Nullable String host() {
        return host;
    }

    /** Leaves the worker, for another one that is ready for what runs here. */
    void move(Manner manner, Departure.Listener listener) {
        var leaving = context.serving();
        if (leaving == null || manner == Manner.IDLE) {
            depart(manner, listener);
        } else {
            warming.begin(
                    lastHeld,
                    () -> {
                        if (leaving.equals(context.serving())) {
                            depart(manner, listener);
                        } else {
                            listener.stayed(context.partition(), 0, 0);
                        }
                    });
        }
    }

    private void depart(Manner manner, Departure.Listener listener) {
        departure.begin(manner, listener);
        show();
    }

    /** Claims and restores; repeats until the broker answers. */
    void begin() throws InterruptedException {
        state = OwnerState.RESTORING;
        while (true) {
            try {
                long begin = System.nanoTime();
                if (!context.feed().hasContinued()) {
                    calls.continuing(claims.earlierRuns());
                }
                var claimed = claims.claim();
                claim = new PartitionClaim(context.partition(), claimed.epoch());
                LogContext.put(LogContext.EPOCH, claimed.epoch());
                calls.committed(claimed.requestsDone());
                context.state(context.services().state().read(context.partition(), claim.epoch()));
                quarantine.count();
                commands.arrivedUpTo(claimed.commandsDone());
                context.services().metrics().restored(Duration.ofNanos(System.nanoTime() - begin));
                LOG.atInfo()
                        .addKeyValue("partition", context.partition())
                        .addKeyValue("epoch", claim.epoch())
                        .addKeyValue("instances", context.state().instances().size())
                        .log("Partition claimed and restored");
                problem.over();
                resealing.proceed();
                place();
                show();
                return;
            } catch (InterruptException e) {
                throw e;
            } catch (UnreadableStateException e) {
                // Nothing is known to be absent then, so nothing is done.
                problem.is(e);
                Thread.sleep(UNREADABLE_RETRY); // Nobody tells when a missing key was brought.
            } catch (RuntimeException e) {
                problem.is(e);
                // Nothing may be handled before the state is read; the end of the tenure
                // interrupts.
                Thread.sleep(LONGEST_RETRY); // Nobody tells when the broker is back.
            }
        }
    }

    /** Looks for a worker, unless there is a session or the claim is used up. */
    void place() throws InterruptedException {
        if (claim == null || context.session() != null || recordingHost) {
            return;
        }
        state = OwnerState.PLACING;
        var host = context.state().host();
        var recorded = host == null ? null : new RecordedHost(host.workerId(), host.incarnation());
        switch (context.services().hosts().choose(context.partition(), recorded, lastHeld)) {
            case HostDecision.Place(var workerId) -> place(workerId);
            case HostDecision.Wait(var until, var reason) -> {
                if (recorded != null && isGivenUp(recorded.workerId())) {
                    statuses.lost(recorded.workerId(), claim.epoch());
                }
                LOG.atDebug()
                        .addKeyValue("partition", context.partition())
                        .addKeyValue("reason", reason)
                        .log("No worker for the partition yet");
                cancelRetry();
                var left = Duration.between(SteadyTime.now(), until);
                retry = context.timers().after(left, () -> Quietly.run(this::place));
            }
        }
    }

    /** Sends what the turn's work left to be sent. */
    void endTurn() {
        events.acknowledge();
        var session = context.session();
        if (session != null) {
            session.link().flush();
        }
        departure.proceed();
        show();
    }

    void committed(Topic topic, long offset) {
        var session = context.session();
        if (session != null) {
            session.link().committed(context.linkName(topic), offset);
        }
    }

    /**
     * Detaches at once, for another gateway; the owner ends. One that fell silent says nothing to
     * the worker either: that would begin the retention, and maybe no other gateway has the
     * partition.
     */
    void leave() {
        state = OwnerState.ENDED;
        var session = context.session();
        if (session != null) {
            events.tell(); // Or the next owner publishes it again.
            session.close();
            if (context.feed().isSilenced()) {
                session.link().abandon();
            } else {
                session.link().detach(true, context.services().times().detach());
            }
        }
    }

    private void place(String workerId) throws InterruptedException {
        var incarnation = incarnation(workerId);
        var host = context.state().host();
        if (incarnation == null) {
            retryLater();
        } else if (host != null
                && host.workerId().equals(workerId)
                && host.incarnation().equals(incarnation)) {
            open(workerId, incarnation);
        } else {
            var next = new StateRecord.Host(workerId, incarnation);
            recordingHost = true;
            context.writer()
                    .write(
                            List.of(context.stateTopic().host(next)),
                            offsets -> {
                                recordingHost = false;
                                context.state().host(next);
                                open(workerId, incarnation);
                            });
        }
    }

    private @Nullable String incarnation(String workerId) {
        var worker = worker(workerId);
        return worker == null ? null : worker.incarnation();
    }

    private boolean isGivenUp(String workerId) {
        var worker = worker(workerId);
        return worker != null && worker.state() == LinkState.FAILED;
    }

    private @Nullable WorkerView worker(String workerId) {
        for (var worker : context.services().links().workers()) {
            if (workerId.equals(worker.workerId())) {
                return worker;
            }
        }
        return null;
    }

    private void open(String workerId, String incarnation) {
        var fresh = claim;
        if (fresh == null || context.session() != null) {
            return;
        }
        claim = null;
        cancelRetry();
        state = OwnerState.ATTACHING;
        var listener = new Listener();
        try {
            var session =
                    new Session(
                            context.services()
                                    .links()
                                    .open(fresh, workerId, incarnation, true, listener));
            context.session(session);
            listener.session = session;
        } catch (IllegalArgumentException e) {
            claim = fresh;
            state = OwnerState.PLACING;
            retryLater();
        } catch (IllegalStateException e) {
            LOG.atError()
                    .addKeyValue("partition", context.partition())
                    .setCause(e)
                    .log("Cannot open a session; claiming again");
            retry = context.timers().after(LONGEST_RETRY, () -> Quietly.run(this::begin));
        }
    }

    private void attached(Session session, Attach.Result result) {
        session.createdEpoch(result.createdEpoch());
        lastHeld = lastHeld.byThisOnly();
        noteAwake(session, result);
        Quietly.run(() -> statuses.found(session, result));
        quarantine.attached(session, result.resumed());
        calls.attached(result);
        context.feed().attached(result.createdEpoch());
        if (Boolean.TRUE.equals(result.ending())) {
            state = OwnerState.MOVING;
            departure.goOn(session);
            return;
        }
        if (!restoration.begin(session, result.processes())) {
            session.close();
            return;
        }
        pause = RETRY;
        session.serve();
        state = OwnerState.SERVING;
        LOG.atInfo()
                .addKeyValue("partition", context.partition())
                .addKeyValue("worker_id", session.link().workerId())
                .addKeyValue("epoch", session.link().claim().epoch())
                .addKeyValue("resumed", result.resumed())
                .log("Partition served");
        Quietly.run(this::serve);
        quarantine.proceed();
        if (!departure.isUnderWay()) {
            departure.served();
        }
    }

    private static void noteAwake(Session session, Attach.Result result) {
        for (var process : result.processes()) {
            if (!ASLEEP.contains(process.state())) {
                session.awake().found(process.processId());
            }
        }
    }

    private void serve() throws InterruptedException {
        commands.serving();
        calls.serving();
    }

    private void givenUp(Session session) {
        var link = session.link();
        Quietly.run(() -> statuses.lost(link.workerId(), link.claim().epoch()));
    }

    private void ended(Session session, boolean alive, String reason) {
        session.close();
        quarantine.over();
        context.session(null);
        departure.over();
        context.feed().detached();
        var until = session.link().heldUntil();
        lastHeld = lastHeld.until(until == null ? SteadyTime.now() : until);
        state = OwnerState.RESTORING;
        context.services().metrics().sessionEnded(reason);
        LOG.atInfo()
                .addKeyValue("partition", context.partition())
                .addKeyValue("worker_id", session.link().workerId())
                .addKeyValue("reason", reason)
                .log("Session ended; claiming again");
        calls.sessionEnded(alive || !session.wasAttached());
        cancelRetry();
        retry = context.timers().after(pause, () -> Quietly.run(this::begin));
        pause = pause.multipliedBy(2);
        if (pause.compareTo(LONGEST_RETRY) > 0) {
            pause = LONGEST_RETRY;
        }
    }

    /** The worker has nothing of the partition any more: it can go anywhere at once. */
    private void vacated(Session session, String reason) {
        ended(session, false, reason);
        cancelRetry();
        pause = RETRY;
        Quietly.run(
                () ->
                        context.writer()
                                .write(
                                        List.of(context.stateTopic().noHost()),
                                        _ -> Quietly.run(this::begin)));
    }

    private void show() {
        outdated = context.state().outdated().size();
        var recorded = context.state().host();
        host = recorded == null ? null : recorded.workerId();
        var session = context.serving();
        departing = departure.isUnderWay();
        hosted =
                session == null || departing
                        ? new Hosted(context.partition(), null, 0)
                        : new Hosted(
                                context.partition(),
                                session.link().workerId(),
                                session.link().claim().epoch());
    }

    private void retryLater() {
        cancelRetry();
        retry = context.timers().after(RETRY, () -> Quietly.run(this::place));
    }

    private void cancelRetry() {
        if (retry != null) {
            retry.cancel();
            retry = null;
        }
    }

    /** Brings what a session says to the owner's thread; of an earlier session nothing counts. */
    private final class Listener implements SessionListener {
        private @Nullable Session session;

        @Override
        public OptionalLong heardAt() {
            return context.feed().lease().heardAt();
        }

        @Override
        public void attached(Attach.Result result) {
            post(current -> SessionKeeper.this.attached(current, result));
        }

        @Override
        public void event(InstanceEvent event, int creditBytes) {
            post(current -> Quietly.run(() -> events.received(current, event, creditBytes)));
        }

        @Override
        public void suspended() {
            post(
                    current -> {
                        quarantine.suspended(current);
                        LOG.atInfo().log("The link is recovering");
                    });
        }

        @Override
        public void fenced(long byEpoch) {
            post(current -> ended(current, true, GatewayMetrics.FENCED));
        }

        @Override
        public void lost(LinkFailure reason) {
            var name = reason.name().toLowerCase(Locale.ROOT);
            post(
                    current -> {
                        switch (reason) {
                            case ENDED, DRAINING -> vacated(current, name);
                            case EXPIRED, INCARNATION_CHANGED, DEAD, UNREACHABLE -> {
                                quarantine.lost(current, reason);
                                givenUp(current);
                                ended(current, false, name);
                            }
                            case REFUSED -> {
                                quarantine.lost(current, reason);
                                ended(current, false, name);
                            }
                        }
                    });
        }

        /** The session is set by the owner's thread before it reads its mailbox again. */
        private void post(Consumer<Session> work) {
            context.mailbox()
                    .post(
                            () -> {
                                var current = session;
                                if (current != null && context.session() == current) {
                                    work.accept(current);
                                }
                            });
        }
    }
}
