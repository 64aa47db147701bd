package dev.perigee.gateway.partition;

import static dev.perigee.gateway.partition.OwnerAction.ABANDON;
import static dev.perigee.gateway.partition.OwnerAction.ACKNOWLEDGE;
import static dev.perigee.gateway.partition.OwnerAction.ADOPT;
import static dev.perigee.gateway.partition.OwnerAction.AWAIT_WORKER;
import static dev.perigee.gateway.partition.OwnerAction.CALLS_AWAY;
import static dev.perigee.gateway.partition.OwnerAction.CALLS_GONE;
import static dev.perigee.gateway.partition.OwnerAction.CHOOSE;
import static dev.perigee.gateway.partition.OwnerAction.CLAIM;
import static dev.perigee.gateway.partition.OwnerAction.CLOSE;
import static dev.perigee.gateway.partition.OwnerAction.COUNT;
import static dev.perigee.gateway.partition.OwnerAction.DETACH;
import static dev.perigee.gateway.partition.OwnerAction.END;
import static dev.perigee.gateway.partition.OwnerAction.GO_ON;
import static dev.perigee.gateway.partition.OwnerAction.OPEN;
import static dev.perigee.gateway.partition.OwnerAction.PAUSE;
import static dev.perigee.gateway.partition.OwnerAction.PAUSE_LONG;
import static dev.perigee.gateway.partition.OwnerAction.RECONCILE;
import static dev.perigee.gateway.partition.OwnerAction.SERVE;
import static dev.perigee.gateway.partition.OwnerAction.STALL;
import static dev.perigee.gateway.partition.OwnerAction.STALL_LONG;
import static dev.perigee.gateway.partition.OwnerAction.SUSPEND;
import static dev.perigee.gateway.partition.OwnerAction.TELL_LOST;
import static dev.perigee.gateway.partition.OwnerAction.WRITE_HOST;
import static dev.perigee.gateway.partition.OwnerAction.WRITE_NO_HOST;
import static dev.perigee.gateway.partition.OwnerEvent.ATTACHED;
import static dev.perigee.gateway.partition.OwnerEvent.ATTACHED_ENDING;
import static dev.perigee.gateway.partition.OwnerEvent.CLAIMED;
import static dev.perigee.gateway.partition.OwnerEvent.DEAD;
import static dev.perigee.gateway.partition.OwnerEvent.DRAINING;
import static dev.perigee.gateway.partition.OwnerEvent.DUE;
import static dev.perigee.gateway.partition.OwnerEvent.EXPIRED;
import static dev.perigee.gateway.partition.OwnerEvent.FAILED;
import static dev.perigee.gateway.partition.OwnerEvent.FENCED;
import static dev.perigee.gateway.partition.OwnerEvent.HOST_CHOSEN;
import static dev.perigee.gateway.partition.OwnerEvent.HOST_GIVEN_UP;
import static dev.perigee.gateway.partition.OwnerEvent.INCARNATION_CHANGED;
import static dev.perigee.gateway.partition.OwnerEvent.LOOK;
import static dev.perigee.gateway.partition.OwnerEvent.NOT_OPENED;
import static dev.perigee.gateway.partition.OwnerEvent.NOT_THERE;
import static dev.perigee.gateway.partition.OwnerEvent.NO_WORKER;
import static dev.perigee.gateway.partition.OwnerEvent.OTHER_CHOSEN;
import static dev.perigee.gateway.partition.OwnerEvent.RECONCILED;
import static dev.perigee.gateway.partition.OwnerEvent.RECORDED;
import static dev.perigee.gateway.partition.OwnerEvent.REFUSED;
import static dev.perigee.gateway.partition.OwnerEvent.RELEASED;
import static dev.perigee.gateway.partition.OwnerEvent.SILENCED;
import static dev.perigee.gateway.partition.OwnerEvent.SUSPENDED;
import static dev.perigee.gateway.partition.OwnerEvent.UNREACHABLE;
import static dev.perigee.gateway.partition.OwnerEvent.UNREADABLE;
import static dev.perigee.gateway.partition.OwnerEvent.UNRECONCILED;
import static dev.perigee.gateway.partition.OwnerStage.ATTACHING;
import static dev.perigee.gateway.partition.OwnerStage.CLAIMING;
import static dev.perigee.gateway.partition.OwnerStage.ENDED;
import static dev.perigee.gateway.partition.OwnerStage.FREEING;
import static dev.perigee.gateway.partition.OwnerStage.LEAVING;
import static dev.perigee.gateway.partition.OwnerStage.PAUSED;
import static dev.perigee.gateway.partition.OwnerStage.PLACING;
import static dev.perigee.gateway.partition.OwnerStage.RECONCILING;
import static dev.perigee.gateway.partition.OwnerStage.RECORDING;
import static dev.perigee.gateway.partition.OwnerStage.SERVING;
import static dev.perigee.gateway.partition.OwnerStage.UNOPENED;

import dev.perigee.gateway.placement.LastHeld;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Transition table of a partition's owner: claim, placement, session, and a new claim when that is
 * gone. A pair of stage and event without a row is impossible. Pure, any thread.
 */
final class OwnerTransitions {

    /** One row. */
    record Transition(OwnerStage from, OwnerEvent event, OwnerStage to, List<OwnerAction> actions) {
        boolean does(OwnerAction action) {
            return actions.contains(action);
        }
    }

    /**
     * State of an owner.
     *
     * @param held when gateways may have held the session last
     * @param pause before the next claim, once a session has ended
     */
    record Ownership(OwnerStage stage, LastHeld held, Duration pause) {
        /** Of an owner that has not claimed yet. */
        static Ownership begun(LastHeld held) {
            return new Ownership(CLAIMING, held, SHORTEST_PAUSE);
        }
    }

    /** A transition that is taken. */
    record Step(Transition taken, Ownership before, Ownership after) {}

    static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private static final Map<OwnerStage, Map<OwnerEvent, Transition>> TABLE =
            new EnumMap<>(OwnerStage.class);

    static {
        on(CLAIMING, CLAIMED, PLACING, CHOOSE);
        on(CLAIMING, UNREADABLE, CLAIMING, STALL_LONG);
        for (var before : List.of(CLAIMING, PLACING, RECORDING, ATTACHING)) {
            on(before, FAILED, CLAIMING, STALL);
        }
        on(PAUSED, DUE, CLAIMING, CLAIM);
        on(UNOPENED, DUE, CLAIMING, CLAIM);
        on(FREEING, RECORDED, CLAIMING, CLAIM);

        on(PLACING, LOOK, PLACING, CHOOSE);
        on(PLACING, NO_WORKER, PLACING, AWAIT_WORKER);
        on(PLACING, HOST_GIVEN_UP, PLACING, TELL_LOST, AWAIT_WORKER);
        on(PLACING, NOT_THERE, PLACING, AWAIT_WORKER);
        on(PLACING, HOST_CHOSEN, ATTACHING, OPEN);
        on(PLACING, OTHER_CHOSEN, RECORDING, WRITE_HOST);
        on(RECORDING, RECORDED, ATTACHING, OPEN);
        on(ATTACHING, NOT_THERE, PLACING, AWAIT_WORKER);
        on(ATTACHING, NOT_OPENED, UNOPENED, PAUSE_LONG);

        attached(ATTACHING, RECONCILING, CALLS_AWAY);
        for (var stage : List.of(RECONCILING, SERVING, LEAVING)) {
            attached(stage, stage, CALLS_GONE);
            on(stage, RECONCILED, SERVING, SERVE);
            on(stage, UNRECONCILED, stage, CLOSE);
        }
        for (var stage : List.of(PAUSED, FREEING, RECORDING, UNOPENED)) {
            on(stage, LOOK, stage);
        }
        for (var stage : List.of(CLAIMING, PAUSED, FREEING, PLACING, RECORDING, UNOPENED)) {
            on(stage, RELEASED, ENDED);
            on(stage, SILENCED, ENDED);
        }
    }

    private OwnerTransitions() {}

    /** All, by stage and event. */
    static List<Transition> all() {
        return TABLE.values().stream().map(Map::values).flatMap(Collection::stream).toList();
    }

    /**
     * What happens next.
     *
     * @param letGo until when this gateway has had the session, should it end now
     * @throws IllegalStateException when the event cannot happen in that stage
     */
    static Step next(Ownership before, OwnerEvent event, Instant letGo) {
        var taken = TABLE.getOrDefault(before.stage, Map.of()).get(event);
        if (taken == null) {
            throw new IllegalStateException(
                    "An owner that is " + before.stage + " cannot have " + event);
        }
        return new Step(
                taken,
                before,
                new Ownership(taken.to, held(taken, before.held, letGo), pause(taken, before)));
    }

    private static LastHeld held(Transition taken, LastHeld before, Instant letGo) {
        if (taken.does(ADOPT)) {
            return before.byThisOnly();
        }
        return taken.does(END) ? before.until(letGo) : before;
    }

    private static Duration pause(Transition taken, Ownership before) {
        if (taken.does(SERVE) || taken.does(WRITE_NO_HOST)) {
            return SHORTEST_PAUSE;
        }
        if (!taken.does(PAUSE)) {
            return before.pause;
        }
        var twice = before.pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /**
     * What happens to a session that is open.
     *
     * @param reconciles where an attach leads
     * @param calls action for open calls when the worker lost the session
     */
    private static void attached(OwnerStage stage, OwnerStage reconciles, OwnerAction calls) {
        on(stage, LOOK, stage);
        on(stage, ATTACHED, reconciles, ADOPT, RECONCILE);
        on(stage, ATTACHED_ENDING, LEAVING, ADOPT, GO_ON);
        on(stage, SUSPENDED, stage, SUSPEND);
        on(stage, FENCED, PAUSED, END, CALLS_AWAY, PAUSE);
        on(stage, OwnerEvent.ENDED, FREEING, END, calls, WRITE_NO_HOST);
        on(stage, DRAINING, FREEING, END, calls, WRITE_NO_HOST);
        for (var lost : List.of(EXPIRED, INCARNATION_CHANGED, DEAD, UNREACHABLE)) {
            on(stage, lost, PAUSED, COUNT, TELL_LOST, END, calls, PAUSE);
        }
        on(stage, REFUSED, PAUSED, COUNT, END, calls, PAUSE);
        on(stage, RELEASED, ENDED, ACKNOWLEDGE, CLOSE, DETACH);
        on(stage, SILENCED, ENDED, ACKNOWLEDGE, CLOSE, ABANDON);
    }

    private static void on(
            OwnerStage from, OwnerEvent event, OwnerStage to, OwnerAction... actions) {
        var row = new Transition(from, event, to, List.of(actions));
        if (TABLE.computeIfAbsent(from, _ -> new EnumMap<>(OwnerEvent.class)).put(event, row)
                != null) {
            throw new IllegalStateException("Two rows of " + from + " and " + event);
        }
    }
}
