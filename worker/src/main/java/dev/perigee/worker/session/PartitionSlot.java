package dev.perigee.worker.session;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.session.SessionTransitions.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The place of one partition on this worker, for the worker's life. Events are decided by {@link
 * SessionTransitions} and carried out here, one after another under this object's monitor, and
 * nothing waits under it. Any thread may call.
 */
final class PartitionSlot {
    private static final Logger log = LoggerFactory.getLogger(PartitionSlot.class);

    /** What an owner asks for. */
    @FunctionalInterface
    interface OwnerAction<T> {
        T on(HostedSession session) throws LinkRefusal;
    }

    private final int partition;
    private final SessionContext context;
    private SessionState state = SessionState.initial();

    /** The session's instances and journals; null when it does not exist. */
    private @Nullable HostedSession session;

    private @Nullable SessionEnding ending;
    private @Nullable SessionDeparture departure;

    PartitionSlot(int partition, SessionContext context) {
        this.partition = partition;
        this.context = context;
    }

    /**
     * Attaches a connection and answers it, unless processes of an expired session are still being
     * ended: a new session must not start them a second time, and that there is none must not be
     * said before they are gone.
     *
     * @param takesNew whether to create a session
     * @return what to wait for before asking again, null when the attach was answered
     */
    synchronized @Nullable SessionEnding attach(
            LinkPeer peer, Attach.Request request, long requestId, BooleanSupplier takesNew)
            throws LinkRefusal {
        if (!peer.isOpen()) {
            return null;
        }
        var until = request.leaseUntilMs();
        var hold =
                new Hold(until == null ? null : Instant.ofEpochMilli(until), context.heldBy(peer));
        var step =
                decide(
                        new SessionEvent.Attach(
                                new Claimant(peer, request.epoch(), request.generation()),
                                request.create(),
                                hold,
                                takesNew.getAsBoolean()));
        if (step.does(SessionAction.AWAIT_CLEARED)) {
            state = step.after();
            return ending;
        }
        attach(step, request, requestId);
        return null;
    }

    private void attach(Step step, Attach.Request request, long requestId) {
        boolean creates = step.does(SessionAction.CREATE);
        var attached = creates ? new HostedSession(partition, request.epoch(), context) : session();
        var before = step.before().owner();
        session = attached;
        state = step.after();
        var peer = Objects.requireNonNull(state.owner());
        attached.attach(peer, request, requestId, !creates, state.stage().isLeaving());
        boolean fences = step.does(SessionAction.TELL_FENCED);
        if (fences && before != null) {
            before.tell(LinkMethod.FENCED, new SessionNotice.Fenced(partition, request.epoch()));
        }
        var how = creates ? "created" : fences ? "fenced" : "resumed";
        context.metrics().attached(how);
        log.atInfo()
                .addKeyValue(LogContext.PARTITION, partition)
                .addKeyValue(LogContext.EPOCH, request.epoch())
                .addKeyValue("gateway_id", request.gatewayId())
                .addKeyValue("generation", request.generation())
                .addKeyValue("how", how)
                .log("Session attached");
    }

    /** A gateway renews its lease. Counts only for the session that is attached by it. */
    void extend(LinkPeer peer, Lease.Held held) {
        happened(new SessionEvent.Extend(peer, held.epoch(), Instant.ofEpochMilli(held.untilMs())));
    }

    /** A gateway answered a ping. Counts only for the session that is attached by it. */
    void answered(LinkPeer peer, Instant linkEnd) {
        happened(new SessionEvent.Answer(peer, linkEnd));
    }

    /** A connection is gone. Counts only if it is attached now. */
    void detach(LinkPeer peer) {
        happened(new SessionEvent.Close(peer));
    }

    /** A connection gives a claim up. Counts only if it is attached now, and by this claim. */
    void detach(LinkPeer peer, long epoch) {
        happened(new SessionEvent.Detach(peer, epoch));
    }

    /**
     * Begins to end the session's processes; their last entries are acknowledged before it ends.
     */
    void depart() {
        happened(new SessionEvent.Leave());
    }

    /** Ends the session now, whoever is attached. */
    void endNow() {
        happened(new SessionEvent.Stop());
    }

    /** The processes of the session that ended are gone. */
    private void cleared() {
        happened(new SessionEvent.Cleared());
        context.acknowledged().happened();
    }

    /** All entries are acknowledged: the session ends and its owner is notified. */
    private synchronized void departed(HostedSession departing) {
        look();
        if (session == departing) {
            take(new SessionEvent.Flushed());
        }
    }

    /**
     * Ends the session if its deadline has come.
     *
     * @return when to ask again, null when there is nothing to wait for
     */
    synchronized @Nullable Instant expireIfDue() {
        look();
        return state.deadline();
    }

    /**
     * Does what the attached connection asks for; nothing of it may wait.
     *
     * @throws LinkRefusal when another connection, or none, is attached, or the session refuses
     */
    <T> T asOwner(LinkPeer peer, OwnerAction<T> action) throws LinkRefusal {
        return order(new SessionEvent.Order(peer, false), action);
    }

    /**
     * As {@link #asOwner}, for what needs a session that goes on.
     *
     * @throws LinkRefusal also when the session is being ended
     */
    <T> T asServed(LinkPeer peer, OwnerAction<T> action) throws LinkRefusal {
        return order(new SessionEvent.Order(peer, true), action);
    }

    private synchronized <T> T order(SessionEvent.Order order, OwnerAction<T> action)
            throws LinkRefusal {
        follow(decide(order));
        return action.on(session());
    }

    /**
     * Ends the session for good, at the wish of who is attached.
     *
     * @throws LinkRefusal when another connection, or none, is attached
     */
    synchronized Attach.Released release(LinkPeer peer, Attach.Release release) throws LinkRefusal {
        int processes = session == null ? 0 : session.processes();
        int running = session == null ? 0 : session.runningRequests();
        boolean keep = release.onlyIdle() && (processes > 0 || running > 0);
        var step = decide(new SessionEvent.Release(peer, keep));
        follow(step);
        return new Attach.Released(!step.does(SessionAction.KEEP), processes, running);
    }

    private synchronized void happened(SessionEvent event) {
        look();
        take(event);
    }

    /** The deadline decides, whether or not the reaper looked. */
    private void look() {
        take(new SessionEvent.Look());
    }

    private void take(SessionEvent event) {
        follow(next(event));
    }

    /** What somebody asks for, who is answered; the caller follows the step. */
    private Step decide(SessionEvent asked) throws LinkRefusal {
        look();
        var step = next(asked);
        var refusal = step.taken().refusal();
        if (refusal != null) {
            state = step.after();
            throw refusal.in(state);
        }
        return step;
    }

    private Step next(SessionEvent event) {
        return SessionTransitions.next(
                state, event, context.deadlines().instant(), context.options().retention());
    }

    private void follow(Step step) {
        state = step.after();
        for (var action : step.taken().actions()) {
            switch (action) {
                case DETACH -> {
                    session().detach();
                    context.acknowledged().happened();
                    report(Level.INFO, "Session detached");
                }
                case DEPART -> {
                    var leaving = session();
                    departure =
                            SessionDeparture.start(
                                    partition, leaving, context, () -> departed(leaving));
                    report(Level.INFO, "Session given up");
                }
                case EXPIRE -> {
                    context.metrics().expired();
                    report(
                            Level.WARN,
                            "No gateway that hears from its group held the session in time: its"
                                    + " processes are ended");
                }
                case CLEAR -> clear();
                case TELL_ENDED -> {
                    var owner = step.before().owner();
                    if (owner != null) {
                        owner.tell(
                                LinkMethod.ENDED,
                                new SessionNotice.Ended(partition, state.epochs().held()));
                    }
                }
                case CREATE, RESUME, TELL_FENCED, AWAIT_CLEARED, EXTEND, SERVE, KEEP -> {
                    // By who asked, or by the state itself.
                }
            }
        }
    }

    private void clear() {
        var ended = session();
        session = null;
        departure = null;
        ended.drop();
        ending =
                SessionEnding.start(
                        partition, ended, context.options().expiryGrace(), this::cleared);
        report(Level.INFO, "Session ended");
    }

    private void report(Level level, String message) {
        log.atLevel(level)
                .addKeyValue(LogContext.PARTITION, partition)
                .addKeyValue(LogContext.EPOCH, state.epochs().held())
                .addKeyValue("until", state.deadline())
                .log(message);
    }

    /** False when the session lives, or its end has not been heard by who is attached. */
    synchronized boolean isAtRest() {
        return session == null
                || (departure != null
                        && departure.isTerminated()
                        && (!isAttached() || session.journalEntries() == 0));
    }

    /** What is left of the partition here, null when nothing is. */
    synchronized DrainProgress.@Nullable Left left() {
        if (session == null) {
            return state.stage() == SessionStage.ABSENT
                    ? null
                    : new DrainProgress.Left(partition, null, 0, 0, null);
        }
        var owner = state.owner();
        return new DrainProgress.Left(
                partition,
                owner == null ? null : owner.gatewayId(),
                session.processes(),
                session.runningRequests(),
                owner == null ? null : owner.stays());
    }

    /** True when the session is being ended. */
    synchronized boolean isDeparting() {
        return state.stage().isLeaving();
    }

    /** Waits until the processes of ended sessions are gone, or the time is over. */
    void awaitEnded(Duration limit) throws InterruptedException {
        var last = ending();
        if (last != null) {
            last.await(limit);
        }
    }

    private synchronized @Nullable SessionEnding ending() {
        return ending;
    }

    private HostedSession session() {
        return Objects.requireNonNull(session);
    }

    /** The session as it is now, null when there is none. */
    synchronized @Nullable HostedSession current() {
        return session;
    }

    /** Whether a gateway is attached. */
    synchronized boolean isAttached() {
        return state.stage().isAttached();
    }

    /**
     * Whether a worker that stops has to wait: a gateway is attached, or the next owner has
     * something to take over.
     *
     * @param gateways whether there is any that may become the next owner
     */
    synchronized boolean holdsBack(boolean gateways) {
        if (isAttached() || session == null || !gateways) {
            return isAttached();
        }
        return session.processes() > 0
                || session.runningRequests() > 0
                || session.journalEntries() > 0;
    }

    /** The epoch of the session, -1 when there is none. */
    synchronized long epoch() {
        return state.stage().exists() ? state.epochs().held() : -1;
    }

    int partition() {
        return partition;
    }
}
