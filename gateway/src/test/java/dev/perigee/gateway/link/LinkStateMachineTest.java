package dev.perigee.gateway.link;

import static dev.perigee.gateway.link.LinkState.CONNECTED;
import static dev.perigee.gateway.link.LinkState.CONNECTING;
import static dev.perigee.gateway.link.LinkState.FAILED;
import static dev.perigee.gateway.link.LinkState.RECOVERING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkStateMachine.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LinkStateMachineTest {
    private static final Duration RETENTION = Duration.ofSeconds(30);
    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final long WINDOW = Duration.ofSeconds(25).toNanos();
    private static final long START = Long.MAX_VALUE - 1_000; // the clock may wrap

    private final LinkStateMachine machine = new LinkStateMachine(MARGIN);

    /** Brings the machine into a state; the generation that is or was connected, or 0. */
    private long into(LinkState state) {
        if (state == CONNECTING) {
            return 0;
        }
        var generation = machine.beginAttempt();
        machine.established(generation, RETENTION);
        if (state == RECOVERING || state == FAILED) {
            machine.closed(generation, START);
        }
        if (state == FAILED) {
            machine.expire(START + WINDOW);
        }
        assertThat(machine.state()).isEqualTo(state);
        return generation;
    }

    @ParameterizedTest
    @EnumSource(LinkState.class)
    void anEstablishedAttemptConnectsFromEveryState(LinkState state) {
        into(state);
        var generation = machine.beginAttempt();

        assertThat(machine.established(generation, RETENTION)).isEqualTo(Change.CONNECTED);
        assertThat(machine.state()).isEqualTo(CONNECTED);
        assertThat(machine.nanosLeft(START)).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @EnumSource(LinkState.class)
    void onlyTheNewestAttemptCanBeEstablished(LinkState state) {
        into(state);
        var abandoned = machine.beginAttempt();
        machine.beginAttempt();

        assertThat(machine.established(abandoned, RETENTION)).isEqualTo(Change.NONE);
        assertThat(machine.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(LinkState.class)
    void establishingTwiceChangesNothing(LinkState state) {
        into(state);
        var generation = machine.beginAttempt();
        machine.established(generation, RETENTION);

        assertThat(machine.established(generation, RETENTION)).isEqualTo(Change.NONE);
    }

    @ParameterizedTest
    @EnumSource(LinkState.class)
    @DisplayName("RES-08: a close of an older generation changes nothing")
    void aCloseOfAnOlderGenerationChangesNothing(LinkState state) {
        var old = machine.beginAttempt();
        machine.established(old, RETENTION);
        machine.closed(old, START);
        into(state == CONNECTING ? CONNECTED : state);
        var before = machine.state();

        assertThat(machine.closed(old, START)).isEqualTo(Change.NONE);
        assertThat(machine.state()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(LinkState.class)
    void theCloseOfAnUnestablishedAttemptOnlyEndsTheAttempt(LinkState state) {
        into(state);
        var left = machine.nanosLeft(START);
        var attempt = machine.beginAttempt();

        assertThat(machine.closed(attempt, START + 7)).isEqualTo(Change.NONE);
        assertThat(machine.state()).isEqualTo(state);
        assertThat(machine.nanosLeft(START)).isEqualTo(left);
    }

    @ParameterizedTest
    @EnumSource(LinkState.class)
    @DisplayName("OWN-14: the worker's death ends a recovery, and nothing else")
    void deathEndsARecovery(LinkState state) {
        into(state);

        assertThat(machine.died()).isEqualTo(state == RECOVERING ? Change.DEAD : Change.NONE);
        assertThat(machine.state()).isEqualTo(state == RECOVERING ? FAILED : state);
    }

    @Test
    void theCloseOfTheConnectionStartsTheDeadline() {
        var generation = into(CONNECTED);

        assertThat(machine.closed(generation, START)).isEqualTo(Change.SUSPENDED);
        assertThat(machine.state()).isEqualTo(RECOVERING);
        assertThat(machine.nanosLeft(START)).isEqualTo(WINDOW);
        assertThat(machine.nanosLeft(START + 1)).isEqualTo(WINDOW - 1);
        assertThat(machine.nanosLeft(START + WINDOW + 1)).isZero();
    }

    @Test
    void aRepeatedCloseDoesNotMoveTheDeadline() {
        var generation = into(CONNECTED);
        machine.closed(generation, START);

        assertThat(machine.closed(generation, START + 99)).isEqualTo(Change.NONE);
        assertThat(machine.nanosLeft(START)).isEqualTo(WINDOW);
    }

    @Test
    void theDeadlineIsAuthoritativeHoweverLateItIsAsked() {
        into(RECOVERING);

        assertThat(machine.expire(START + WINDOW - 1)).isEqualTo(Change.NONE);
        assertThat(machine.expire(START + 1_000 * WINDOW)).isEqualTo(Change.FAILED);
        assertThat(machine.state()).isEqualTo(FAILED);
    }

    @ParameterizedTest
    @EnumSource(
            value = LinkState.class,
            names = {"CONNECTING", "CONNECTED", "FAILED"})
    void nothingExpiresWhereNoDeadlineRuns(LinkState state) {
        into(state);

        assertThat(machine.nanosLeft(START)).isEqualTo(Long.MAX_VALUE);
        assertThat(machine.expire(START + 1_000 * WINDOW)).isEqualTo(Change.NONE);
        assertThat(machine.state()).isEqualTo(state);
    }

    @Test
    void aPermanentRefusalFailsARecoveringLink() {
        into(RECOVERING);

        assertThat(machine.refused(machine.beginAttempt())).isEqualTo(Change.FAILED);
    }

    @ParameterizedTest
    @EnumSource(
            value = LinkState.class,
            names = {"CONNECTING", "CONNECTED", "FAILED"})
    void aPermanentRefusalOfAnyOtherLinkIsTriedOn(LinkState state) {
        into(state);

        assertThat(machine.refused(machine.beginAttempt())).isEqualTo(Change.NONE);
        assertThat(machine.state()).isEqualTo(state);
    }

    @Test
    void aRefusalOfAnOlderAttemptChangesNothing() {
        into(RECOVERING);
        var older = machine.beginAttempt();
        machine.beginAttempt();

        assertThat(machine.refused(older)).isEqualTo(Change.NONE);
    }

    @Test
    void theWindowFollowsTheRetentionOfTheLastHello() {
        into(RECOVERING);
        var generation = machine.beginAttempt();
        machine.established(generation, Duration.ofSeconds(60));
        machine.closed(generation, START);

        assertThat(machine.nanosLeft(START)).isEqualTo(Duration.ofSeconds(55).toNanos());
    }

    @Test
    void aRetentionWithinTheMarginLeavesNoTimeAtAll() {
        var generation = machine.beginAttempt();
        machine.established(generation, Duration.ofSeconds(1));
        machine.closed(generation, START);

        assertThat(machine.nanosLeft(START)).isZero();
        assertThat(machine.expire(START)).isEqualTo(Change.FAILED);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyHistoryKeepsTheRules(long seed) {
        var random = new SplittableRandom(seed);
        var now = START;
        List<Long> generations = new ArrayList<>(List.of(0L));
        for (var step = 0; step < 2_000; step++) {
            now += random.nextLong(WINDOW / 4);
            var before = machine.state();
            var leftBefore = machine.nanosLeft(now);
            var generation = generations.get(random.nextInt(generations.size()));
            var change =
                    switch (random.nextInt(6)) {
                        case 0 -> {
                            generations.add(machine.beginAttempt());
                            yield Change.NONE;
                        }
                        case 1 -> machine.established(generation, RETENTION);
                        case 2 -> machine.closed(generation, now);
                        case 3 -> machine.expire(now);
                        case 4 -> machine.died();
                        default -> machine.refused(generation);
                    };
            var expected =
                    switch (change) {
                        case NONE -> before;
                        case CONNECTED -> CONNECTED;
                        case SUSPENDED -> RECOVERING;
                        case FAILED, DEAD -> FAILED;
                    };
            assertThat(machine.state()).as("seed %d step %d", seed, step).isEqualTo(expected);
            if (change == Change.SUSPENDED) {
                assertThat(before).as("seed %d step %d", seed, step).isEqualTo(CONNECTED);
            }
            if (change == Change.FAILED || change == Change.DEAD) {
                assertThat(before).as("seed %d step %d", seed, step).isEqualTo(RECOVERING);
            }
            if (before == RECOVERING && machine.state() == RECOVERING) {
                assertThat(machine.nanosLeft(now))
                        .as("seed %d step %d", seed, step)
                        .isEqualTo(leftBefore);
            }
        }
    }
}
