package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.LinkError;
import dev.perigee.worker.session.Fencing.Claimant;
import dev.perigee.worker.session.Fencing.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class FencingTest {
    private static final Duration RETENTION = Duration.ofSeconds(30);
    private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

    private final Fencing fencing = new Fencing(RETENTION);

    @Test
    void createsOnlyWhenAskedTo() {
        assertRefused(fencing.attach(claimant("a", 5, 1), false, null), LinkError.SESSION_EXPIRED);
        assertThat(fencing.attach(claimant("a", 5, 1), true, null))
                .isInstanceOf(Decision.Created.class);
        assertThat(fencing.epoch()).isEqualTo(5);
    }

    @Test
    void aHigherEpochTakesOverAtOnce() {
        fencing.attach(claimant("a", 5, 1), true, null);
        assertThat(fencing.attach(claimant("b", 6, 1), false, null))
                .isEqualTo(new Decision.Resumed(true));
        assertThat(fencing.attached()).isEqualTo(claimant("b", 6, 1));
        assertRefused(fencing.attach(claimant("a", 5, 2), true, null), LinkError.FENCED);
    }

    @Test
    @DisplayName("RES-09 a generation that is not newer is told already_attached until the detach")
    void aGenerationThatIsNotNewerWaits() {
        fencing.attach(claimant("a", 5, 2), true, null);
        assertRefused(fencing.attach(claimant("a", 5, 2), false, null), LinkError.ALREADY_ATTACHED);
        assertRefused(fencing.attach(claimant("a", 5, 1), false, null), LinkError.ALREADY_ATTACHED);
        fencing.detach(START);
        assertThat(fencing.attach(claimant("a", 5, 2), false, null))
                .isEqualTo(new Decision.Resumed(false));
    }

    @Test
    @DisplayName("RES-09 a newer generation of the same gateway takes over at once")
    void aNewerGenerationTakesOver() {
        fencing.attach(claimant("a", 5, 2), true, null);
        assertThat(fencing.attach(claimant("a", 5, 3), false, null))
                .isEqualTo(new Decision.Resumed(false));
    }

    @Test
    void anEpochBelongsToOneGateway() {
        fencing.attach(claimant("a", 5, 1), true, null);
        assertRefused(fencing.attach(claimant("b", 5, 9), false, null), LinkError.FENCED);
    }

    @Test
    @DisplayName("RES-05 the deadline is exact, and a session that ended needs a fresh claim")
    void expiresAtTheDeadline() {
        fencing.attach(claimant("a", 5, 1), true, null);
        fencing.detach(START);
        assertThat(fencing.expire(START.plus(RETENTION).minusNanos(1))).isFalse();
        assertThat(fencing.expire(START.plus(RETENTION))).isTrue();
        assertThat(fencing.expire(START.plus(RETENTION))).isFalse();
        assertRefused(fencing.attach(claimant("a", 5, 2), true, null), LinkError.SESSION_EXPIRED);
        assertThat(fencing.attach(claimant("a", 6, 2), true, null))
                .isInstanceOf(Decision.Created.class);
    }

    @Test
    @DisplayName("OWN-01 with a lease the retention begins when that ends, attached or not")
    void theRetentionFollowsTheLease() {
        var leaseEnd = START.plusSeconds(75);
        fencing.attach(claimant("a", 5, 1), true, leaseEnd);
        assertThat(fencing.deadline()).isEqualTo(leaseEnd.plus(RETENTION));
        fencing.extend(START.plusSeconds(80));
        fencing.extend(START.plusSeconds(70));
        assertThat(fencing.deadline()).isEqualTo(START.plusSeconds(80).plus(RETENTION));

        assertThat(fencing.expire(START.plusSeconds(110).minusNanos(1))).isFalse();
        assertThat(fencing.expire(START.plusSeconds(110))).isTrue();
        assertThat(fencing.attached()).isNull();
    }

    @Test
    @DisplayName("OWN-01 a connection that is lost or comes back does not outlast its lease")
    void aLostConnectionGainsNothing() {
        fencing.attach(claimant("a", 5, 1), true, START);
        fencing.detach(START.plusSeconds(20));
        assertThat(fencing.deadline()).isEqualTo(START.plus(RETENTION));
        fencing.attach(claimant("a", 5, 2), false, START);
        assertThat(fencing.deadline()).isEqualTo(START.plus(RETENTION));
        fencing.detach(START.plusSeconds(29));
        assertThat(fencing.expire(START.plus(RETENTION))).isTrue();
    }

    @Test
    void theRetentionBeginsWithTheDetachWhileTheLeaseLasts() {
        fencing.attach(claimant("a", 5, 1), true, START.plusSeconds(75));
        fencing.detach(START);
        assertThat(fencing.deadline()).isEqualTo(START.plus(RETENTION));
    }

    @Test
    void whoKnowsNoLeaseHoldsWhileAttached() {
        fencing.attach(claimant("a", 5, 1), true, START);
        fencing.attach(claimant("b", 6, 1), false, null);
        assertThat(fencing.deadline()).isNull();
        fencing.detach(START);
        fencing.extend(START.plusSeconds(75));
        assertThat(fencing.deadline()).isEqualTo(START.plus(RETENTION));
    }

    @Test
    @DisplayName("RES-07 the timer of an earlier detach has no effect after a re-attach")
    void anOldTimerEndsNothing() {
        fencing.attach(claimant("a", 5, 1), true, null);
        fencing.detach(START);
        var oldTimer = START.plus(RETENTION);
        fencing.attach(claimant("a", 5, 2), false, null);
        assertThat(fencing.expire(oldTimer)).isFalse();
        fencing.detach(START.plusSeconds(20));
        assertThat(fencing.expire(oldTimer)).isFalse();
        assertThat(fencing.expire(START.plusSeconds(50))).isTrue();
    }

    /** Every history of four steps: 104,976 of them. */
    @Test
    void keepsItsPromisesInEveryShortHistory() {
        var steps = steps();
        var history = new int[4];
        for (long number = 0, all = (long) Math.pow(steps.size(), 4); number < all; number++) {
            long rest = number;
            for (int i = 0; i < history.length; i++) {
                history[i] = (int) (rest % steps.size());
                rest /= steps.size();
            }
            new Run(steps, history).check();
        }
    }

    private static List<Step> steps() {
        var steps = new ArrayList<Step>();
        for (var gateway : List.of("a", "b")) {
            for (long epoch = 1; epoch <= 2; epoch++) {
                for (long generation = 1; generation <= 2; generation++) {
                    for (boolean create : new boolean[] {true, false}) {
                        steps.add(new Step.Attach(claimant(gateway, epoch, generation), create));
                    }
                }
            }
        }
        steps.add(new Step.Detach());
        steps.add(new Step.Wait());
        return steps;
    }

    private sealed interface Step {
        record Attach(Claimant claimant, boolean create) implements Step {}

        record Detach() implements Step {}

        record Wait() implements Step {}
    }

    /** One history and what must hold after each of its steps. */
    private static final class Run {
        private final Fencing fencing = new Fencing(RETENTION);
        private final List<Step> steps;
        private final int[] history;
        private Instant now = START;
        private long highestSeen = -1;
        private long highestHeld = -1;
        private @Nullable Claimant last;

        Run(List<Step> steps, int[] history) {
            this.steps = steps;
            this.history = history;
        }

        void check() {
            for (int index : history) {
                var step = steps.get(index);
                try {
                    take(step);
                } catch (AssertionError e) {
                    var told = new StringBuilder("history:");
                    for (int each : history) {
                        told.append("\n  ").append(steps.get(each));
                    }
                    throw new AssertionError(told + "\nfails at " + step, e);
                }
            }
        }

        private void take(Step step) {
            switch (step) {
                case Step.Attach attach -> attach(attach);
                case Step.Detach ignored -> {
                    if (fencing.attached() != null) {
                        fencing.detach(now);
                        assertThat(fencing.deadline()).isEqualTo(now.plus(RETENTION));
                    }
                }
                case Step.Wait ignored -> {
                    boolean detached = fencing.exists() && fencing.attached() == null;
                    now = now.plus(RETENTION);
                    assertThat(fencing.expire(now)).isEqualTo(detached);
                }
            }
        }

        private void attach(Step.Attach attach) {
            var claimant = attach.claimant();
            var before = fencing.attached();
            var deadline = fencing.deadline();
            boolean existed = fencing.exists();
            switch (fencing.attach(claimant, attach.create(), null)) {
                case Decision.Created ignored -> {
                    require(!existed && attach.create() && claimant.epoch() > highestHeld);
                    held(claimant);
                }
                case Decision.Resumed resumed -> {
                    require(existed && claimant.epoch() >= highestSeen);
                    require(
                            resumed.fenced()
                                    == (before != null && claimant.epoch() > before.epoch()));
                    require(
                            before == null
                                    || claimant.epoch() > before.epoch()
                                    || (claimant.gatewayId().equals(before.gatewayId())
                                            && claimant.generation() > before.generation()));
                    held(claimant);
                }
                case Decision.Refused refused -> {
                    assertThat(fencing.attached()).isEqualTo(before);
                    assertThat(fencing.deadline()).isEqualTo(deadline);
                    require(fencing.exists() == existed);
                    require(!(existed && claimant.epoch() > highestHeld));
                    boolean another =
                            last != null && !last.gatewayId().equals(claimant.gatewayId());
                    require(
                            (refused.error() == LinkError.FENCED)
                                    == (claimant.epoch() < highestSeen || (existed && another)));
                }
            }
            highestSeen = Math.max(highestSeen, claimant.epoch());
        }

        private void held(Claimant claimant) {
            require(claimant.epoch() >= highestSeen);
            highestHeld = claimant.epoch();
            last = claimant;
            assertThat(fencing.attached()).isEqualTo(claimant);
            assertThat(fencing.deadline()).isNull();
            assertThat(fencing.epoch()).isEqualTo(claimant.epoch());
        }

        private static void require(boolean holds) {
            if (!holds) {
                throw new AssertionError("a promise is broken");
            }
        }
    }

    private static Claimant claimant(String gateway, long epoch, long generation) {
        return new Claimant(gateway, epoch, generation);
    }

    private static void assertRefused(Decision decision, LinkError error) {
        assertThat(decision)
                .isInstanceOfSatisfying(
                        Decision.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(error));
    }
}
