package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Owners, sessions and links of one partition that are lost at random moments, in any combination,
 * while requests arrive, are sent, run and are answered in any order, and commits take effect late,
 * or without the owner's knowing. The gateway's own tables decide.
 */
@DisplayName("Whoever is lost, and whenever")
final class LostOwnersSimulationTest {
    private static final int REQUESTS = 400;
    private static final int STEPS = 6_000;

    private static List<Long> seeds() {
        return LongStream.rangeClosed(1, 300).boxed().toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName(
            "OWN-22: no request runs twice that must not, none is lost, what is committed stays")
    void simulated(long seed) {
        var world = new SimulatedPartition(seed, REQUESTS, true);
        for (int step = 0; step < STEPS; step++) {
            world.step();
        }
        world.calm();
        for (long offset = 0; offset < REQUESTS; offset++) {
            var which = "seed " + seed + ", request " + offset + ": " + world.storyOf(offset);
            assertThat(world.runs(offset))
                    .as(which)
                    .isLessThanOrEqualTo(SimulatedPartition.isHarmless(offset) ? 2 : 1);
            assertThat(world.answers(offset)).as(which).isPositive();
        }
        assertThat(world.answersAfterCommit()).as("seed %d", seed).isEmpty();
        assertThat(world.secondAnswersOfOneOwner()).as("seed %d", seed).isEmpty();
        assertThat(world.answersBeforeReplay()).as("seed %d", seed).isEmpty();
    }

    @Test
    @DisplayName("OWN-22, OWN-06: a result that is replayed is found to lose, if it is not awaited")
    void theReplayIsNeeded() {
        var world = new SimulatedPartition(8, REQUESTS, false); // 22 of the 300 seeds find it.
        for (int step = 0; step < STEPS; step++) {
            world.step();
        }
        assertThat(world.answersBeforeReplay()).isNotEmpty();
    }

    @Test
    @DisplayName("takes every transition of requests that losses can bring")
    void visits() {
        Set<CallTransitions.Transition> taken = new HashSet<>();
        for (long seed : seeds()) {
            var world = new SimulatedPartition(seed, REQUESTS, true);
            for (int step = 0; step < STEPS; step++) {
                world.step();
            }
            taken.addAll(world.taken());
            if (missing(taken).isEmpty()) {
                break; // The other seeds can only take them again.
            }
        }
        assertThat(missing(taken)).as("transitions that no seed took").isEmpty();
    }

    private static Collection<CallTransitions.Transition> missing(
            Set<CallTransitions.Transition> taken) {
        return CallTransitions.all().stream()
                .filter(each -> each.action() != CallAction.NOTHING)
                .filter(each -> !isOfLimitsOrLookups(each) && !isOfASessionBelievedGone(each))
                .filter(each -> !taken.contains(each))
                .toList();
    }

    /** Of these other tests tell. */
    private static boolean isOfLimitsOrLookups(CallTransitions.Transition each) {
        return EnumSet.of(
                                CallEvent.REFUSED,
                                CallEvent.CANCELLED,
                                CallEvent.NOT_GIVEN_YET,
                                CallEvent.PROGRESSED)
                        .contains(each.event())
                || EnumSet.of(
                                CallFacts.Guard.INCOMPLETE,
                                CallFacts.Guard.UNRESOLVED_AND_OVER,
                                CallFacts.Guard.ASKING,
                                CallFacts.Guard.ASKING_UNRESOLVED,
                                CallFacts.Guard.ANSWERED)
                        .contains(each.guard());
    }

    /** An owner that took a session for gone hears of it again: here nobody errs. */
    private static boolean isOfASessionBelievedGone(CallTransitions.Transition each) {
        if (each.from().isWaiting()) {
            return EnumSet.of(CallEvent.RESULT, CallEvent.ATTACHED_WITH, CallEvent.ATTACHED_AFTER)
                    .contains(each.event());
        }
        return each.from() == CallStage.UNSURE
                && (each.event() == CallEvent.RESULT || each.guard() == CallFacts.Guard.UNRESOLVED)
                && each.to() != CallStage.LOOKING;
    }
}
