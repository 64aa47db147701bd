package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.OwnerTransitions.Transition;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Past of an owner, reduced to what its future depends on: what is under way, and may come of it.
 * So there are finitely many.
 *
 * @param timer the event that it brings, null when none runs
 * @param writing whether a record of the host is on its way
 * @param session whether one is open
 * @param doing what the owner does before it looks at anything else, null for nothing
 */
record OwnerHistory(
        OwnerStage stage,
        @Nullable OwnerEvent timer,
        boolean writing,
        boolean session,
        @Nullable OwnerAction doing) {

    /** A new owner. */
    static final OwnerHistory BEGIN =
            new OwnerHistory(OwnerStage.CLAIMING, null, false, false, OwnerAction.CLAIM);

    private static final Set<OwnerStage> OPEN =
            EnumSet.of(
                    OwnerStage.ATTACHING,
                    OwnerStage.RECONCILING,
                    OwnerStage.SERVING,
                    OwnerStage.LEAVING);

    /** Whether nothing will ever happen any more, or the session is not where the stage says. */
    boolean isWrong() {
        boolean idle = doing == null && timer == null && !writing && !session;
        return (idle && stage != OwnerStage.ENDED)
                || (doing == null && session != OPEN.contains(stage));
    }

    /** Whether what it does goes on beyond the owner. */
    boolean isBeginning() {
        return doing == OwnerAction.OPEN || doing == OwnerAction.WRITE_HOST;
    }

    /** That has begun. */
    OwnerHistory begun() {
        boolean writes = writing || doing == OwnerAction.WRITE_HOST;
        boolean opens = session || doing == OwnerAction.OPEN;
        return new OwnerHistory(stage, timer, writes, opens, null);
    }

    /** Events that may come next; an error directly after a claim is a failed claim. */
    Set<OwnerEvent> possible() {
        if (stage == OwnerStage.ENDED) {
            return EnumSet.noneOf(OwnerEvent.class);
        }
        if (doing == null) {
            return outer();
        }
        return switch (doing) {
            case CLAIM ->
                    EnumSet.of(
                            OwnerEvent.CLAIMED,
                            OwnerEvent.FAILED,
                            OwnerEvent.UNREADABLE,
                            OwnerEvent.RELEASED,
                            OwnerEvent.SILENCED);
            case CHOOSE -> {
                var next = EnumSet.range(OwnerEvent.NO_WORKER, OwnerEvent.OTHER_CHOSEN);
                next.add(OwnerEvent.FAILED);
                yield next;
            }
            case WRITE_HOST -> EnumSet.of(OwnerEvent.FAILED);
            case OPEN -> EnumSet.of(OwnerEvent.NOT_THERE, OwnerEvent.NOT_OPENED, OwnerEvent.FAILED);
            case RECONCILE -> EnumSet.of(OwnerEvent.RECONCILED, OwnerEvent.UNRECONCILED);
            default -> throw new IllegalStateException("Nothing follows " + doing);
        };
    }

    private Set<OwnerEvent> outer() {
        var next = EnumSet.of(OwnerEvent.LOOK, OwnerEvent.RELEASED, OwnerEvent.SILENCED);
        if (timer != null) {
            next.add(timer);
        }
        if (writing) {
            next.add(OwnerEvent.RECORDED);
        }
        if (session) {
            next.addAll(EnumSet.of(OwnerEvent.ATTACHED, OwnerEvent.ATTACHED_ENDING));
            next.addAll(EnumSet.range(OwnerEvent.SUSPENDED, OwnerEvent.REFUSED));
        }
        return next;
    }

    /** After a transition, as its actions leave it. */
    OwnerHistory after(Transition row) {
        var next =
                new OwnerHistory(
                        row.to(),
                        row.event() == timer ? null : timer,
                        writing && row.event() != OwnerEvent.RECORDED,
                        session,
                        null);
        for (var action : row.actions()) {
            next = next.after(action);
        }
        return next;
    }

    private OwnerHistory after(OwnerAction action) {
        return switch (action) {
            case CLAIM, STALL, STALL_LONG ->
                    new OwnerHistory(stage, timer, writing, session, OwnerAction.CLAIM);
            case CHOOSE, RECONCILE, WRITE_HOST ->
                    new OwnerHistory(stage, timer, writing, session, action);
            case OPEN -> new OwnerHistory(stage, null, writing, session, action);
            case AWAIT_WORKER -> new OwnerHistory(stage, OwnerEvent.LOOK, writing, session, null);
            case PAUSE, PAUSE_LONG ->
                    new OwnerHistory(stage, OwnerEvent.DUE, writing, session, null);
            case WRITE_NO_HOST -> new OwnerHistory(stage, timer, true, session, null);
            case END, DETACH, ABANDON -> new OwnerHistory(stage, timer, writing, false, null);
            case ADOPT,
                    SERVE,
                    GO_ON,
                    SUSPEND,
                    COUNT,
                    TELL_LOST,
                    CALLS_AWAY,
                    CALLS_GONE,
                    CLOSE,
                    ACKNOWLEDGE ->
                    this;
        };
    }
}
