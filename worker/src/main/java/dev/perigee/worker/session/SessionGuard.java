package dev.perigee.worker.session;

import dev.perigee.worker.session.SessionEvent.Attach;
import dev.perigee.worker.session.SessionEvent.OfConnection;
import dev.perigee.worker.session.SessionEvent.Order;
import dev.perigee.worker.session.SessionEvent.Release;
import dev.perigee.worker.session.SessionState.Attached;
import java.time.Instant;

/** Conditions of transitions of a session. */
enum SessionGuard {
    ALWAYS(""),
    CREATES("it may create a session"),
    UNWELCOME("it may create a session, and the worker takes none"),
    HOLD_OVER(
            "it may create a session, and its lease is over, or it answered no ping for"
                    + " `link.dead-after`"),
    STALE("its epoch is below the highest that was seen"),
    RESUMES("it may not create a session"),
    USED("its epoch held the session that is over"),
    NEWER("its epoch is above that of the session"),
    OF_ANOTHER("another gateway held the session with that epoch"),
    NOT_NEWER("its generation is not above the attached one"),
    FOREIGN("it is not the attached connection, or not its claim"),
    OVERTAKEN("the gateway is attached by another connection"),
    SERVING("it needs a session that goes on"),
    KEPT("something runs, and only an idle session shall end"),
    DUE("the deadline has come");

    private final String meaning;

    SessionGuard(String meaning) {
        this.meaning = meaning;
    }

    /** For people; empty where nothing is asked. */
    String meaning() {
        return meaning;
    }

    boolean holds(SessionState state, SessionEvent event, Instant now) {
        return switch (this) {
            case ALWAYS -> true;
            case DUE -> {
                var deadline = state.deadline();
                yield deadline != null && !now.isBefore(deadline);
            }
            case SERVING -> event instanceof Order order && order.serving();
            case KEPT -> event instanceof Release release && release.keep();
            case FOREIGN, OVERTAKEN ->
                    event instanceof OfConnection asked
                            && state instanceof Attached attached
                            && isOfAttached(asked, attached);
            case CREATES,
                    UNWELCOME,
                    HOLD_OVER,
                    STALE,
                    RESUMES,
                    USED,
                    NEWER,
                    OF_ANOTHER,
                    NOT_NEWER ->
                    event instanceof Attach attach && isOfAttach(state, attach, now);
        };
    }

    private boolean isOfAttached(OfConnection asked, Attached attached) {
        var epoch = asked.epoch();
        var holder = attached.holder();
        boolean own =
                asked.by().equals(holder.peer())
                        && (epoch == null || epoch == attached.epochs().held());
        return !own && (this == FOREIGN || holder.isSameGateway(asked.by()));
    }

    private boolean isOfAttach(SessionState state, Attach attach, Instant now) {
        var by = attach.by();
        var epochs = state.epochs();
        var holder = state.holder();
        return switch (this) {
            case CREATES -> attach.create();
            case UNWELCOME -> attach.create() && !attach.takesNew();
            case HOLD_OVER -> attach.create() && !attach.hold().end().isAfter(now);
            case STALE -> by.epoch() < epochs.seen();
            case RESUMES -> !attach.create();
            case USED -> by.epoch() <= epochs.held();
            case NEWER -> by.epoch() > epochs.held();
            case OF_ANOTHER -> holder != null && !holder.isSameGateway(by.peer());
            case NOT_NEWER -> holder != null && by.generation() <= holder.generation();
            case ALWAYS, FOREIGN, OVERTAKEN, SERVING, KEPT, DUE -> false;
        };
    }
}
