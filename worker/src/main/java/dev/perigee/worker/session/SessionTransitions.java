package dev.perigee.worker.session;

import static dev.perigee.worker.session.SessionStage.ABSENT;
import static dev.perigee.worker.session.SessionStage.ATTACHED;
import static dev.perigee.worker.session.SessionStage.CLEARING;
import static dev.perigee.worker.session.SessionStage.DETACHED;
import static dev.perigee.worker.session.SessionStage.LEAVING;
import static dev.perigee.worker.session.SessionStage.LEAVING_DETACHED;

import dev.perigee.worker.session.SessionEvent.Answer;
import dev.perigee.worker.session.SessionEvent.Attach;
import dev.perigee.worker.session.SessionEvent.Cleared;
import dev.perigee.worker.session.SessionEvent.Close;
import dev.perigee.worker.session.SessionEvent.Detach;
import dev.perigee.worker.session.SessionEvent.Extend;
import dev.perigee.worker.session.SessionEvent.Flushed;
import dev.perigee.worker.session.SessionEvent.Leave;
import dev.perigee.worker.session.SessionEvent.Look;
import dev.perigee.worker.session.SessionEvent.Order;
import dev.perigee.worker.session.SessionEvent.Release;
import dev.perigee.worker.session.SessionEvent.Stop;
import dev.perigee.worker.session.SessionState.Attached;
import dev.perigee.worker.session.SessionState.Detached;
import dev.perigee.worker.session.SessionState.Epochs;
import dev.perigee.worker.session.SessionState.None;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Transition table of one partition's session on a worker, whole. Of the rows of one stage and
 * event the first whose guard holds is taken; where there is none, the event is impossible in that
 * stage. Pure, any thread.
 *
 * <p>A session is kept for its retention after it was last held: by a connection that is attached
 * and answers pings, and whose gateway has a lease. So the deadline comes from the end of that
 * {@link Hold} while a gateway is attached, and a connection that is lost later than that, or comes
 * back without a newer lease, does not move it; nor does it matter when the worker notices the
 * loss, which is late after it was frozen. A gateway without leases holds while it answers pings.
 * The deadline is authoritative, whether or not a timer ran: {@link Look} comes before each other
 * event.
 *
 * <p>"Epoch and fencing" in {@code docs/concepts.md} says what it is for.
 */
final class SessionTransitions {

    /** One row. */
    record Transition(
            SessionStage from,
            Class<? extends SessionEvent> event,
            SessionGuard guard,
            SessionStage to,
            List<SessionAction> actions,
            @Nullable SessionRefusal refusal) {}

    /** A transition that is taken. */
    record Step(Transition taken, SessionState before, SessionState after) {
        boolean does(SessionAction action) {
            return taken.actions.contains(action);
        }
    }

    private static final List<Transition> ALL = new ArrayList<>();

    static {
        on(CLEARING, Attach.class, SessionGuard.CREATES, CLEARING, SessionAction.AWAIT_CLEARED);
        refuse(ABSENT, Attach.class, SessionGuard.UNWELCOME, SessionRefusal.WORKER_LEAVES);
        refuse(ABSENT, Attach.class, SessionGuard.HOLD_OVER, SessionRefusal.HOLD_OVER);
        for (var none : List.of(ABSENT, CLEARING)) {
            refuse(none, Attach.class, SessionGuard.STALE, SessionRefusal.STALE);
            refuse(none, Order.class, SessionGuard.ALWAYS, SessionRefusal.NO_SESSION);
            refuse(none, Release.class, SessionGuard.ALWAYS, SessionRefusal.NO_SESSION);
            stay(none, Extend.class, Answer.class, Detach.class, Close.class);
            stay(none, Leave.class, Stop.class, Look.class);
        }
        refuse(CLEARING, Attach.class, SessionGuard.ALWAYS, SessionRefusal.NO_SESSION);
        refuse(ABSENT, Attach.class, SessionGuard.RESUMES, SessionRefusal.NO_SESSION);
        refuse(ABSENT, Attach.class, SessionGuard.USED, SessionRefusal.CLAIM_USED);
        on(ABSENT, Attach.class, SessionGuard.ALWAYS, ATTACHED, SessionAction.CREATE);
        on(CLEARING, Cleared.class, SessionGuard.ALWAYS, ABSENT);

        exists(ATTACHED, DETACHED);
        exists(LEAVING, LEAVING_DETACHED);
        on(ATTACHED, Release.class, SessionGuard.KEPT, ATTACHED, SessionAction.KEEP);
        on(ATTACHED, Release.class, SessionGuard.ALWAYS, LEAVING, SessionAction.DEPART);
        on(ATTACHED, Leave.class, SessionGuard.ALWAYS, LEAVING, SessionAction.DEPART);
        on(DETACHED, Leave.class, SessionGuard.ALWAYS, LEAVING_DETACHED, SessionAction.DEPART);
        stay(LEAVING, Release.class, Leave.class);
        stay(LEAVING_DETACHED, Leave.class);
        on(
                LEAVING,
                Flushed.class,
                SessionGuard.ALWAYS,
                CLEARING,
                SessionAction.CLEAR,
                SessionAction.TELL_ENDED);
        on(LEAVING_DETACHED, Flushed.class, SessionGuard.ALWAYS, CLEARING, SessionAction.CLEAR);
    }

    private static final Map<SessionStage, Map<Class<?>, List<Transition>>> TABLE = index();

    private SessionTransitions() {}

    /** All, in the order in which they are looked at. */
    static List<Transition> all() {
        return List.copyOf(ALL);
    }

    /**
     * What happens next.
     *
     * @throws IllegalStateException when the event cannot happen in that stage
     */
    static Step next(SessionState state, SessionEvent event, Instant now, Duration retention) {
        var rows =
                TABLE.getOrDefault(state.stage(), Map.of())
                        .getOrDefault(event.getClass(), List.of());
        for (var each : rows) {
            if (each.guard.holds(state, event, now)) {
                return new Step(each, state, after(each, state, event, now, retention));
            }
        }
        throw new IllegalStateException(
                "A session that is " + state.stage() + " cannot have " + event);
    }

    private static SessionState after(
            Transition taken,
            SessionState state,
            SessionEvent event,
            Instant now,
            Duration retention) {
        if (event instanceof Attach attach) {
            return attached(taken, state, attach, retention);
        }
        if (state instanceof Attached it && taken.actions.contains(SessionAction.EXTEND)) {
            return extended(it, event, retention);
        }
        if (taken.to == taken.from) {
            return state;
        }
        return switch (state) {
            case None none -> new None(taken.to, none.epochs());
            case Attached it when taken.to.isAttached() ->
                    new Attached(taken.to, it.epochs(), it.holder(), it.hold(), it.deadline());
            case Attached it when taken.to.exists() ->
                    new Detached(
                            taken.to,
                            it.epochs(),
                            it.holder(),
                            earlier(it.deadline(), now.plus(retention)));
            case Detached it when taken.to.exists() ->
                    new Detached(taken.to, it.epochs(), it.holder(), it.deadline());
            case Attached it -> new None(taken.to, it.epochs());
            case Detached it -> new None(taken.to, it.epochs());
        };
    }

    private static SessionState attached(
            Transition taken, SessionState state, Attach attach, Duration retention) {
        long epoch = attach.by().epoch();
        long seen = Math.max(state.epochs().seen(), epoch);
        if (taken.to.isAttached() && taken.refusal == null) {
            var hold = attach.hold();
            return new Attached(
                    taken.to,
                    new Epochs(seen, epoch),
                    attach.by(),
                    hold,
                    hold.end().plus(retention));
        }
        var epochs = new Epochs(seen, state.epochs().held());
        return switch (state) {
            case None none -> new None(none.stage(), epochs);
            case Attached it ->
                    new Attached(it.stage(), epochs, it.holder(), it.hold(), it.deadline());
            case Detached it -> new Detached(it.stage(), epochs, it.holder(), it.deadline());
        };
    }

    private static SessionState extended(Attached it, SessionEvent event, Duration retention) {
        var hold = it.hold();
        if (event instanceof Extend extend) {
            hold = hold.extended(extend.leaseEnd());
        } else if (event instanceof Answer answer) {
            hold = hold.answered(answer.linkEnd());
        }
        return new Attached(it.stage(), it.epochs(), it.holder(), hold, hold.end().plus(retention));
    }

    private static Instant earlier(Instant one, Instant other) {
        return other.isBefore(one) ? other : one;
    }

    /** What a session does while it serves and while it leaves. */
    private static void exists(SessionStage attached, SessionStage detached) {
        for (var stage : List.of(attached, detached)) {
            refuse(stage, Attach.class, SessionGuard.STALE, SessionRefusal.STALE);
            if (stage.isAttached()) {
                on(
                        stage,
                        Attach.class,
                        SessionGuard.NEWER,
                        attached,
                        SessionAction.RESUME,
                        SessionAction.TELL_FENCED);
            } else {
                on(stage, Attach.class, SessionGuard.NEWER, attached, SessionAction.RESUME);
            }
            refuse(stage, Attach.class, SessionGuard.OF_ANOTHER, SessionRefusal.CLAIM_OF_ANOTHER);
            if (stage.isAttached()) {
                refuse(stage, Attach.class, SessionGuard.NOT_NEWER, SessionRefusal.NOT_NEWER);
            }
            on(stage, Attach.class, SessionGuard.ALWAYS, attached, SessionAction.RESUME);
            on(
                    stage,
                    Look.class,
                    SessionGuard.DUE,
                    CLEARING,
                    SessionAction.EXPIRE,
                    SessionAction.CLEAR);
            stay(stage, Look.class);
            on(stage, Stop.class, SessionGuard.ALWAYS, CLEARING, SessionAction.CLEAR);
            if (stage.isLeaving()) {
                refuse(stage, Order.class, SessionGuard.SERVING, SessionRefusal.LEAVING);
            }
        }
        for (var asked : List.of(Order.class, Release.class)) {
            refuse(attached, asked, SessionGuard.OVERTAKEN, SessionRefusal.NEWER_CONNECTION);
            refuse(attached, asked, SessionGuard.FOREIGN, SessionRefusal.ANOTHER_ATTACHED);
            refuse(detached, asked, SessionGuard.ALWAYS, SessionRefusal.NOT_ATTACHED);
        }
        on(attached, Order.class, SessionGuard.ALWAYS, attached, SessionAction.SERVE);
        for (var asked : List.of(Extend.class, Answer.class, Detach.class, Close.class)) {
            on(attached, asked, SessionGuard.FOREIGN, attached);
            stay(detached, asked);
        }
        on(attached, Extend.class, SessionGuard.ALWAYS, attached, SessionAction.EXTEND);
        on(attached, Answer.class, SessionGuard.ALWAYS, attached, SessionAction.EXTEND);
        on(attached, Detach.class, SessionGuard.ALWAYS, detached, SessionAction.DETACH);
        on(attached, Close.class, SessionGuard.ALWAYS, detached, SessionAction.DETACH);
    }

    @SafeVarargs
    private static void stay(SessionStage stage, Class<? extends SessionEvent>... events) {
        for (var event : events) {
            on(stage, event, SessionGuard.ALWAYS, stage);
        }
    }

    private static void refuse(
            SessionStage stage,
            Class<? extends SessionEvent> event,
            SessionGuard guard,
            SessionRefusal refusal) {
        ALL.add(new Transition(stage, event, guard, stage, List.of(), refusal));
    }

    private static void on(
            SessionStage from,
            Class<? extends SessionEvent> event,
            SessionGuard guard,
            SessionStage to,
            SessionAction... actions) {
        ALL.add(new Transition(from, event, guard, to, List.of(actions), null));
    }

    private static Map<SessionStage, Map<Class<?>, List<Transition>>> index() {
        var table = new EnumMap<SessionStage, Map<Class<?>, List<Transition>>>(SessionStage.class);
        for (var each : ALL) {
            table.computeIfAbsent(each.from, _ -> new HashMap<>())
                    .computeIfAbsent(each.event, _ -> new ArrayList<>())
                    .add(each);
        }
        return table;
    }
}
