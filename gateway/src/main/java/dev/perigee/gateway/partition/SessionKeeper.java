package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.PartitionLink;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.gateway.link.SteadyTime;
import dev.perigee.gateway.partition.OwnerTransitions.Ownership;
import dev.perigee.gateway.partition.OwnerTransitions.Step;
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
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Driver of an owner's session: claim, restore, place, attach, and again from the claim when it is
 * gone. {@link OwnerTransitions} decides, here it is carried out. For the owner's thread; {@link
 * #state} any thread.
 *
 * <p>A claim is written in a transaction that carries the group's offsets, after the committed
 * offsets were read: so a gateway that is no longer a member cannot claim, and nothing that an
 * older owner had under way can follow the claim. The state is read up to the claim, which waits
 * for older transactions to end.
 */
final class SessionKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(SessionKeeper.class);
    private static final Duration FAILED_RETRY = Duration.ofSeconds(2);
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
    private PartitionClaim claim;
    private Choice choice = Choice.notThere(SteadyTime.now());
    private Timers.@Nullable Entry timer;
    private volatile Ownership own;
    private volatile boolean departing;
    private volatile Hosted hosted;
    private volatile @Nullable String host;
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
        this.departure = new Departure(context, calls, () -> InterruptDeferral.run(this::serve));
        this.warming = new Warming(context, quarantine);
        this.claim = new PartitionClaim(context.partition(), -1);
        this.own = Ownership.begun(gained(context));
        this.hosted = new Hosted(context.partition(), null, 0);
    }

    /** Others may have had it until it was gained; this gateway itself until this tenure began. */
    private static LastHeld gained(PartitionContext context) {
        var now = SteadyTime.now();
        long since = context.feed().lease().now() - context.feed().gainedAt();
        return new LastHeld(now.minusNanos(since), now);
    }

    OwnerState state() {
        var shown = own.stage().shown();
        return departing && shown == OwnerState.SERVING ? OwnerState.MOVING : shown;
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
                    own.held(),
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
        while (own.stage() == OwnerStage.CLAIMING) {
            try {
                restore();
                take(OwnerEvent.CLAIMED);
            } catch (InterruptException e) {
                throw e;
            } catch (UnreadableStateException e) {
                // Unreadable state is not absent state: it must not be reconciled.
                problem.is(e);
                take(OwnerEvent.UNREADABLE);
            } catch (RuntimeException e) {
                problem.is(e);
                take(OwnerEvent.FAILED);
            }
        }
        show();
    }

    private void restore() throws InterruptedException {
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
    }

    /** A worker came, went or changed. */
    void look() {
        happened(OwnerEvent.LOOK);
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
     * Acknowledges what is published and detaches at once, for another gateway; the owner ends. One
     * that has no successor it knows of, since its lease ran out or its partition was lost, does
     * not detach: that begins the retention, and maybe no other gateway has the partition. One that
     * has takes the session with its higher epoch.
     */
    void leave() {
        happened(context.feed().isSilenced() ? OwnerEvent.SILENCED : OwnerEvent.RELEASED);
    }

    private void happened(OwnerEvent event) {
        InterruptDeferral.run(() -> take(event));
    }

    private void take(OwnerEvent event) throws InterruptedException {
        follow(next(event));
    }

    private Step next(OwnerEvent event) {
        var session = context.session();
        var until = session == null ? null : session.link().heldUntil();
        var step = OwnerTransitions.next(own, event, until == null ? SteadyTime.now() : until);
        own = step.after();
        return step;
    }

    private void follow(Step step) throws InterruptedException {
        var event = step.taken().event().name();
        for (var action : step.taken().actions()) {
            switch (action) {
                case CLAIM -> begin();
                // No record may be handled before the state is read. The tenure's end interrupts.
                case STALL -> Thread.sleep(FAILED_RETRY); // The client does not call back.
                case STALL_LONG -> Thread.sleep(UNREADABLE_RETRY); // An operator brings the key.
                case CHOOSE -> choose();
                case AWAIT_WORKER ->
                        after(
                                Duration.between(SteadyTime.now(), choice.lookAgain()),
                                OwnerEvent.LOOK);
                case WRITE_HOST -> write(context.stateTopic().host(chosen()));
                case WRITE_NO_HOST ->
                        InterruptDeferral.run(() -> write(context.stateTopic().noHost()));
                case OPEN -> open(chosen());
                case PAUSE -> after(step.before().pause(), OwnerEvent.DUE);
                case PAUSE_LONG -> after(OwnerTransitions.LONGEST_PAUSE, OwnerEvent.DUE);
                case TELL_LOST -> InterruptDeferral.run(this::tellLost);
                case COUNT -> quarantine.lost(session(), LinkFailure.valueOf(event));
                case END -> end(session(), event.toLowerCase(Locale.ROOT));
                case CALLS_AWAY -> calls.sessionEnded(true);
                case CALLS_GONE -> calls.sessionEnded(false);
                case GO_ON -> departure.goOn(session());
                case SERVE -> serve(session());
                case SUSPEND -> {
                    quarantine.suspended(session());
                    calls.suspended();
                }
                case CLOSE -> session().close();
                case ACKNOWLEDGE -> events.tell(); // Or the next owner publishes it again.
                case DETACH -> session().link().detach(true, context.services().times().detach());
                case ABANDON -> session().link().abandon();
                case ADOPT, RECONCILE -> {
                    // By who asked, with what the worker said.
                }
            }
        }
    }

    private Session session() {
        return Objects.requireNonNull(context.session());
    }

    private StateRecord.Host chosen() {
        return Objects.requireNonNull(choice.host());
    }

    private void after(Duration delay, OwnerEvent event) {
        cancelTimer();
        timer = context.timers().after(delay, () -> happened(event));
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void choose() throws InterruptedException {
        var services = context.services();
        var host = context.state().host();
        var recorded = host == null ? null : new RecordedHost(host.workerId(), host.incarnation());
        var decision = services.hosts().choose(context.partition(), recorded, own.held());
        choose(Choice.of(decision, host, services.links().workers(), SteadyTime.now()));
        if (decision instanceof HostDecision.Wait(_, var reason)) {
            LOG.atDebug()
                    .addKeyValue("partition", context.partition())
                    .addKeyValue("reason", reason)
                    .log("No worker for the partition yet");
        }
    }

    private void choose(Choice made) throws InterruptedException {
        choice = made;
        take(made.event());
    }

    private void write(ProducerRecord<byte[], byte[]> record) throws InterruptedException {
        context.writer().write(List.of(record), _ -> happened(OwnerEvent.RECORDED));
    }

    private void open(StateRecord.Host at) throws InterruptedException {
        cancelTimer();
        context.state().host(at);
        var listener = new Listener();
        PartitionLink link;
        try {
            link =
                    context.services()
                            .links()
                            .open(claim, at.workerId(), at.incarnation(), true, listener);
        } catch (IllegalArgumentException e) {
            choose(Choice.notThere(SteadyTime.now()));
            return;
        } catch (IllegalStateException e) {
            LOG.atError()
                    .addKeyValue("partition", context.partition())
                    .setCause(e)
                    .log("Cannot open a session; claiming again");
            take(OwnerEvent.NOT_OPENED);
            return;
        }
        listener.session = new Session(link);
        context.session(listener.session);
    }

    private void tellLost() throws InterruptedException {
        var host = context.state().host();
        if (host != null) {
            statuses.lost(host.workerId(), claim.epoch());
        }
    }

    private void attached(Session session, Attach.Result result) throws InterruptedException {
        boolean ends = Boolean.TRUE.equals(result.ending());
        var step = next(ends ? OwnerEvent.ATTACHED_ENDING : OwnerEvent.ATTACHED);
        adopt(session, result);
        follow(step);
        if (!step.taken().does(OwnerAction.RECONCILE)) {
            return;
        }
        if (!restoration.begin(session, result.processes())) {
            take(OwnerEvent.UNRECONCILED);
            return;
        }
        LOG.atInfo()
                .addKeyValue("partition", context.partition())
                .addKeyValue("worker_id", session.link().workerId())
                .addKeyValue("epoch", claim.epoch())
                .addKeyValue("resumed", result.resumed())
                .log("Partition served");
        take(OwnerEvent.RECONCILED);
    }

    private void adopt(Session session, Attach.Result result) {
        session.createdEpoch(result.createdEpoch());
        for (var process : result.processes()) {
            if (!ASLEEP.contains(process.state())) {
                session.awake().found(process.processId());
            }
        }
        InterruptDeferral.run(() -> statuses.found(session, result));
        quarantine.attached(session, result.resumed());
        calls.attached(result);
        context.feed().attached(result.createdEpoch());
    }

    private void serve(Session session) {
        session.serve();
        InterruptDeferral.run(this::serve);
        quarantine.proceed();
        if (!departure.isUnderWay()) {
            departure.served();
        }
    }

    private void serve() throws InterruptedException {
        commands.serving();
        calls.serving();
    }

    private void end(Session session, String reason) {
        session.close();
        quarantine.over();
        context.session(null);
        departure.over();
        context.feed().detached();
        context.services().metrics().sessionEnded(reason);
        LOG.atInfo()
                .addKeyValue("partition", context.partition())
                .addKeyValue("worker_id", session.link().workerId())
                .addKeyValue("reason", reason)
                .log("Session ended; claiming again");
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

    /** Posts a session's events to the owner's thread; drops those of an earlier session. */
    private final class Listener implements SessionListener {
        private @Nullable Session session;

        @Override
        public OptionalLong heardAt() {
            return context.feed().lease().heardAt();
        }

        @Override
        public void attached(Attach.Result result) {
            post(
                    current ->
                            InterruptDeferral.run(
                                    () -> SessionKeeper.this.attached(current, result)));
        }

        @Override
        public void event(InstanceEvent event, int creditBytes) {
            post(
                    current ->
                            InterruptDeferral.run(
                                    () -> events.received(current, event, creditBytes)));
        }

        @Override
        public void suspended() {
            post(
                    _ -> {
                        happened(OwnerEvent.SUSPENDED);
                        LOG.atInfo().log("The link is recovering");
                    });
        }

        @Override
        public void fenced(long byEpoch) {
            post(_ -> happened(OwnerEvent.FENCED));
        }

        @Override
        public void lost(LinkFailure reason) {
            post(_ -> happened(OwnerEvent.of(reason)));
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
