package dev.perigee.gateway.partition;

import static dev.perigee.gateway.partition.CallAction.ANSWER;
import static dev.perigee.gateway.partition.CallAction.AWAIT_ATTACH;
import static dev.perigee.gateway.partition.CallAction.AWAIT_RESULT;
import static dev.perigee.gateway.partition.CallAction.ENQUEUE;
import static dev.perigee.gateway.partition.CallAction.FIND_SERVER;
import static dev.perigee.gateway.partition.CallAction.NOTHING;
import static dev.perigee.gateway.partition.CallAction.PUBLISH;
import static dev.perigee.gateway.partition.CallAction.PUT_ASIDE;
import static dev.perigee.gateway.partition.CallAction.RELAY;
import static dev.perigee.gateway.partition.CallAction.SEND;
import static dev.perigee.gateway.partition.CallAction.SETTLE;
import static dev.perigee.gateway.partition.CallEvent.ADMITTED;
import static dev.perigee.gateway.partition.CallEvent.ATTACHED_AFTER;
import static dev.perigee.gateway.partition.CallEvent.ATTACHED_OTHER_WITHOUT;
import static dev.perigee.gateway.partition.CallEvent.ATTACHED_SAME_WITHOUT;
import static dev.perigee.gateway.partition.CallEvent.ATTACHED_WITH;
import static dev.perigee.gateway.partition.CallEvent.CANCELLED;
import static dev.perigee.gateway.partition.CallEvent.FOUND;
import static dev.perigee.gateway.partition.CallEvent.HELD;
import static dev.perigee.gateway.partition.CallEvent.IN_DOUBT;
import static dev.perigee.gateway.partition.CallEvent.LATE;
import static dev.perigee.gateway.partition.CallEvent.LOST;
import static dev.perigee.gateway.partition.CallEvent.MAYBE_TAKEN;
import static dev.perigee.gateway.partition.CallEvent.NOT_GIVEN_YET;
import static dev.perigee.gateway.partition.CallEvent.NOT_RUN;
import static dev.perigee.gateway.partition.CallEvent.PROGRESSED;
import static dev.perigee.gateway.partition.CallEvent.REFUSED;
import static dev.perigee.gateway.partition.CallEvent.RESULT;
import static dev.perigee.gateway.partition.CallEvent.SESSION_AWAY;
import static dev.perigee.gateway.partition.CallEvent.SESSION_GONE;
import static dev.perigee.gateway.partition.CallEvent.SILENT;
import static dev.perigee.gateway.partition.CallEvent.TAKEN;
import static dev.perigee.gateway.partition.CallEvent.TURN;
import static dev.perigee.gateway.partition.CallEvent.TURNED_DOWN;
import static dev.perigee.gateway.partition.CallStage.ACCEPTED;
import static dev.perigee.gateway.partition.CallStage.ARRIVED;
import static dev.perigee.gateway.partition.CallStage.ENDED;
import static dev.perigee.gateway.partition.CallStage.LOOKING;
import static dev.perigee.gateway.partition.CallStage.QUEUED;
import static dev.perigee.gateway.partition.CallStage.SENDING;
import static dev.perigee.gateway.partition.CallStage.UNSURE;

import dev.perigee.gateway.partition.CallFacts.Guard;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Transition table of a request. Of the rows of one stage and event the first whose guard holds is
 * taken; a pair without a row is impossible. Pure, any thread.
 */
final class CallTransitions {

    /**
     * One row.
     *
     * @param ran the request may have run in a session that is gone now: counts before the guard
     * @param answer what is answered; null where the event brings the reason, or nothing is
     */
    record Transition(
            CallStage from,
            CallEvent event,
            Guard guard,
            boolean ran,
            CallStage to,
            CallAction action,
            @Nullable OwnAnswer answer) {}

    private static final List<Transition> ALL = new ArrayList<>();

    static {
        on(ARRIVED, ADMITTED, LOOKING, FIND_SERVER);
        on(ARRIVED, HELD, ACCEPTED, AWAIT_RESULT);
        on(ARRIVED, IN_DOUBT, UNSURE, AWAIT_ATTACH);
        on(ARRIVED, REFUSED, ENDED, ANSWER);

        answer(LOOKING, FOUND, Guard.RAN_TWICE, OwnAnswer.NO_WORKER);
        answer(LOOKING, FOUND, Guard.INCOMPLETE, OwnAnswer.ARGUMENTS_FULL);
        sendAgain(LOOKING, FOUND);
        on(LOOKING, REFUSED, ENDED, ANSWER);

        on(QUEUED, TURN, SENDING, SEND);
        answer(QUEUED, LATE, Guard.UNSERVED, OwnAnswer.NO_WORKER);
        answer(QUEUED, LATE, Guard.ALWAYS, OwnAnswer.NO_TURN);

        for (var waiting : List.of(LOOKING, QUEUED)) {
            answer(waiting, CANCELLED, Guard.ALWAYS, OwnAnswer.CANCELLED);
            on(waiting, ATTACHED_WITH, ACCEPTED, AWAIT_RESULT);
            on(waiting, ATTACHED_AFTER, ENDED, SETTLE);
            stay(waiting, ATTACHED_SAME_WITHOUT, ATTACHED_OTHER_WITHOUT);
            stay(waiting, SESSION_AWAY, SESSION_GONE, PROGRESSED);
        }

        on(SENDING, TAKEN, ACCEPTED, AWAIT_RESULT);
        answer(SENDING, TURNED_DOWN, Guard.MAY_HAVE_ACTED, OwnAnswer.REFUSED);
        on(SENDING, TURNED_DOWN, ENDED, RELAY);
        on(SENDING, NOT_GIVEN_YET, QUEUED, PUT_ASIDE);
        on(SENDING, REFUSED, ENDED, ANSWER);
        sendAgain(SENDING, NOT_RUN);
        on(SENDING, MAYBE_TAKEN, UNSURE, AWAIT_ATTACH);
        answer(SENDING, LOST, Guard.ANSWERED, OwnAnswer.OUTCOME_UNKNOWN);
        row(SENDING, LOST, Guard.ASKING, false, QUEUED, ENQUEUE, null);
        sendOnceMore(SENDING, LOST);
        stay(SENDING, ATTACHED_WITH, ATTACHED_AFTER, ATTACHED_SAME_WITHOUT, ATTACHED_OTHER_WITHOUT);
        stay(SENDING, SESSION_AWAY, SESSION_GONE, PROGRESSED);

        on(ACCEPTED, SESSION_AWAY, UNSURE, AWAIT_ATTACH);
        goOn(ACCEPTED, SESSION_GONE);
        findAgain(ACCEPTED, SESSION_GONE, true);
        sendOnceMore(ACCEPTED, SESSION_GONE);
        row(ACCEPTED, SILENT, Guard.REPLAYING, false, ACCEPTED, AWAIT_RESULT, null);
        answer(ACCEPTED, SILENT, Guard.ALWAYS, OwnAnswer.SILENT);
        on(ACCEPTED, PROGRESSED, ACCEPTED, AWAIT_RESULT);
        stay(ACCEPTED, ATTACHED_WITH, ATTACHED_AFTER);
        stay(ACCEPTED, ATTACHED_SAME_WITHOUT, ATTACHED_OTHER_WITHOUT);

        on(UNSURE, ATTACHED_WITH, ACCEPTED, AWAIT_RESULT);
        on(UNSURE, ATTACHED_AFTER, ENDED, SETTLE);
        findAgain(UNSURE, ATTACHED_SAME_WITHOUT, false);
        sendAgain(UNSURE, ATTACHED_SAME_WITHOUT);
        goOn(UNSURE, ATTACHED_OTHER_WITHOUT);
        findAgain(UNSURE, ATTACHED_OTHER_WITHOUT, false);
        sendOnceMore(UNSURE, ATTACHED_OTHER_WITHOUT);
        row(UNSURE, SESSION_GONE, Guard.UNRESOLVED, false, UNSURE, AWAIT_ATTACH, null);
        answer(UNSURE, SESSION_GONE, Guard.ANSWERED, OwnAnswer.OUTCOME_UNKNOWN);
        row(UNSURE, SESSION_GONE, Guard.ASKING, false, QUEUED, ENQUEUE, null);
        sendOnceMore(UNSURE, SESSION_GONE);
        stay(UNSURE, SESSION_AWAY, PROGRESSED);
        answer(UNSURE, SILENT, Guard.ALWAYS, OwnAnswer.OUTCOME_UNKNOWN);

        for (var open : List.of(LOOKING, QUEUED, SENDING, ACCEPTED, UNSURE)) {
            on(open, RESULT, ENDED, PUBLISH);
        }
    }

    private static final Map<CallStage, Map<CallEvent, List<Transition>>> TABLE = index();

    private CallTransitions() {}

    /** All, in the order in which they are looked at. */
    static List<Transition> all() {
        return List.copyOf(ALL);
    }

    /**
     * What happens next.
     *
     * @throws IllegalStateException when the event cannot happen in that stage
     */
    static Transition next(CallStage stage, CallEvent event, CallFacts facts) {
        for (var each : rows(stage, event)) {
            if (each.guard.holds(each.ran ? facts.afterPossibleRun() : facts)) {
                return each;
            }
        }
        throw new IllegalStateException("A request that is " + stage + " cannot have " + event);
    }

    /** It did not run. */
    private static void sendAgain(CallStage from, CallEvent event) {
        answer(from, event, Guard.OVER, OwnAnswer.EXPIRED);
        on(from, event, QUEUED, ENQUEUE);
    }

    /** It may have run, and goes to one more worker at most. */
    private static void sendOnceMore(CallStage from, CallEvent event) {
        row(from, event, Guard.OVER, true, ENDED, ANSWER, OwnAnswer.EXPIRED);
        row(from, event, Guard.RAN_TWICE, true, ENDED, ANSWER, OwnAnswer.NO_WORKER);
        row(from, event, Guard.ALWAYS, true, QUEUED, ENQUEUE, null);
    }

    /**
     * It waited for an answer, and nothing of it was lost; or it was answered, and may have run.
     */
    private static void goOn(CallStage from, CallEvent event) {
        answer(from, event, Guard.ANSWERED, OwnAnswer.OUTCOME_UNKNOWN);
        row(from, event, Guard.ASKING_UNRESOLVED, false, LOOKING, FIND_SERVER, null);
        row(from, event, Guard.ASKING, false, QUEUED, ENQUEUE, null);
    }

    private static void findAgain(CallStage from, CallEvent event, boolean ran) {
        row(from, event, Guard.UNRESOLVED_AND_OVER, ran, ENDED, ANSWER, OwnAnswer.EXPIRED);
        row(from, event, Guard.UNRESOLVED, ran, LOOKING, FIND_SERVER, null);
    }

    private static void on(CallStage from, CallEvent event, CallStage to, CallAction action) {
        row(from, event, Guard.ALWAYS, false, to, action, null);
    }

    private static void answer(CallStage from, CallEvent event, Guard guard, OwnAnswer own) {
        row(from, event, guard, false, ENDED, ANSWER, own);
    }

    private static void stay(CallStage stage, CallEvent... events) {
        for (var event : events) {
            row(stage, event, Guard.ALWAYS, false, stage, NOTHING, null);
        }
    }

    private static void row(
            CallStage from,
            CallEvent event,
            Guard guard,
            boolean ran,
            CallStage to,
            CallAction action,
            @Nullable OwnAnswer own) {
        ALL.add(new Transition(from, event, guard, ran, to, action, own));
    }

    private static List<Transition> rows(CallStage stage, CallEvent event) {
        var rows = TABLE.get(stage);
        return rows == null ? List.of() : rows.getOrDefault(event, List.of());
    }

    private static Map<CallStage, Map<CallEvent, List<Transition>>> index() {
        var table = new EnumMap<CallStage, Map<CallEvent, List<Transition>>>(CallStage.class);
        for (var each : ALL) {
            table.computeIfAbsent(each.from, _ -> new EnumMap<>(CallEvent.class))
                    .computeIfAbsent(each.event, _ -> new ArrayList<>())
                    .add(each);
        }
        return table;
    }
}
