package dev.perigee.worker.session;

import static dev.perigee.worker.session.SessionRun.claimant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.link.LinkError;
import dev.perigee.worker.session.SessionTransitions.Step;
import dev.perigee.worker.session.SessionTransitions.Transition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The transitions of a worker's session")
final class SessionTransitionsTest {
    private static final Path PAGE = Path.of("../docs/reference/sessions.md");
    private static final Duration RETENTION = Duration.ofSeconds(30);
    private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

    private final SessionRun session = new SessionRun(RETENTION);

    static Stream<Transition> all() {
        return SessionTransitions.all().stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    @DisplayName("are each taken in some state: none is hidden by those before it")
    void each(Transition row) {
        assertThat(SessionWorld.steps(row.from(), row.event()))
                .as("states and events in which it is taken")
                .anySatisfy(step -> assertThat(step.taken()).isSameAs(row));
    }

    @Test
    @DisplayName(
            "are there for every state and event of a stage that has any, and lead where they say")
    void complete() {
        for (var stage : SessionStage.values()) {
            for (var event : SessionWorld.EVENTS) {
                if (has(stage, event)) {
                    assertThat(SessionWorld.steps(stage, event))
                            .allSatisfy(SessionTransitionsTest::leadsWhereItSays);
                }
            }
        }
    }

    private static void leadsWhereItSays(Step step) {
        assertThat(step.after().stage()).isEqualTo(step.taken().to());
        assertThat(step.after().epochs().seen())
                .isGreaterThanOrEqualTo(step.before().epochs().seen())
                .isGreaterThanOrEqualTo(step.after().epochs().held());
        if (step.taken().refusal() != null) {
            assertThat(step.after().holder()).isEqualTo(step.before().holder());
            assertThat(step.after().deadline()).isEqualTo(step.before().deadline());
        }
    }

    @Test
    @DisplayName("are refused where there is none")
    void illegal() {
        int refused = 0;
        for (var state : SessionWorld.states()) {
            for (var event : SessionWorld.events()) {
                if (!has(state.stage(), event.getClass())) {
                    refused++;
                    assertThatThrownBy(
                                    () -> SessionTransitions.next(state, event, START, RETENTION))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(state.stage().toString());
                }
            }
        }
        assertThat(refused).isPositive();
    }

    private static boolean has(SessionStage stage, Class<? extends SessionEvent> event) {
        return all().anyMatch(row -> row.from() == stage && row.event().equals(event));
    }

    @Test
    @DisplayName("are what the documentation shows")
    void page() throws Exception {
        var made = SessionTransitionsPage.in(Files.readString(PAGE));
        if ("1".equals(System.getenv("PERIGEE_WRITE_PAGES"))) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE))
                .as(
                        "stale: run this test with PERIGEE_WRITE_PAGES=1 in the environment, which"
                                + " writes the page")
                .isEqualTo(made);
    }

    @Test
    void createsOnlyWhenAskedTo() {
        assertRefused(attach("a", 5, 1, false), LinkError.SESSION_EXPIRED);
        assertCreated(attach("a", 5, 1, true));
        assertThat(session.state().epochs().held()).isEqualTo(5);
    }

    @Test
    void aHigherEpochTakesOverAtOnce() {
        attach("a", 5, 1, true);
        assertResumed(attach("b", 6, 1, false), true);
        assertThat(session.attached()).isEqualTo(claimant("b", 6, 1));
        assertRefused(attach("a", 5, 2, true), LinkError.FENCED);
    }

    @Test
    @DisplayName("RES-09 a generation that is not newer is told already_attached until the detach")
    void aGenerationThatIsNotNewerWaits() {
        attach("a", 5, 2, true);
        assertRefused(attach("a", 5, 2, false), LinkError.ALREADY_ATTACHED);
        assertRefused(attach("a", 5, 1, false), LinkError.ALREADY_ATTACHED);
        session.detach(START);
        assertResumed(attach("a", 5, 2, false), false);
    }

    @Test
    @DisplayName("RES-09 a newer generation of the same gateway takes over at once")
    void aNewerGenerationTakesOver() {
        attach("a", 5, 2, true);
        assertResumed(attach("a", 5, 3, false), false);
    }

    @Test
    void anEpochBelongsToOneGateway() {
        attach("a", 5, 1, true);
        assertRefused(attach("b", 5, 9, false), LinkError.FENCED);
    }

    @Test
    @DisplayName("RES-05 the deadline is exact, and a session that ended needs a fresh claim")
    void expiresAtTheDeadline() {
        attach("a", 5, 1, true);
        session.detach(START);
        assertThat(session.expire(START.plus(RETENTION).minusNanos(1))).isFalse();
        assertThat(session.expire(START.plus(RETENTION))).isTrue();
        assertThat(session.expire(START.plus(RETENTION))).isFalse();
        assertRefused(attach("a", 5, 2, true), LinkError.SESSION_EXPIRED);
        assertCreated(attach("a", 6, 2, true));
    }

    @Test
    @DisplayName("OWN-01 with a lease the retention begins when that ends, attached or not")
    void theRetentionFollowsTheLease() {
        var leaseEnd = START.plusSeconds(75);
        session.attach(claimant("a", 5, 1), true, leaseEnd, START);
        assertThat(deadline()).isEqualTo(leaseEnd.plus(RETENTION));
        session.extend(START.plusSeconds(80), START);
        session.extend(START.plusSeconds(70), START);
        assertThat(deadline()).isEqualTo(START.plusSeconds(80).plus(RETENTION));

        assertThat(session.expire(START.plusSeconds(110).minusNanos(1))).isFalse();
        assertThat(session.expire(START.plusSeconds(110))).isTrue();
        assertThat(session.attached()).isNull();
    }

    @Test
    @DisplayName("OWN-01 a connection that is lost or comes back does not outlast its lease")
    void aLostConnectionGainsNothing() {
        var almost = START.minusSeconds(1);
        session.attach(claimant("a", 5, 1), true, START, almost);
        session.detach(START.plusSeconds(20));
        assertThat(deadline()).isEqualTo(START.plus(RETENTION));
        session.attach(claimant("a", 5, 2), false, START, almost);
        assertThat(deadline()).isEqualTo(START.plus(RETENTION));
        session.detach(START.plusSeconds(29));
        assertThat(session.expire(START.plus(RETENTION))).isTrue();
    }

    @Test
    @DisplayName("OWN-01 a claim whose lease is over creates nothing")
    void aClaimWithoutALeaseCreatesNothing() {
        var refused = session.attach(claimant("a", 5, 1), true, START, START);
        assertRefused(refused, LinkError.SESSION_EXPIRED);
        assertThat(session.exists()).isFalse();
    }

    @Test
    void theRetentionBeginsWithTheDetachWhileTheLeaseLasts() {
        session.attach(claimant("a", 5, 1), true, START.plusSeconds(75), START);
        session.detach(START);
        assertThat(deadline()).isEqualTo(START.plus(RETENTION));
    }

    @Test
    void whoKnowsNoLeaseHoldsWhileAttached() {
        session.attach(claimant("a", 5, 1), true, START.plusSeconds(1), START);
        attach("b", 6, 1, false);
        assertThat(deadline()).isEqualTo(SessionRun.FAR.plus(RETENTION));
        session.detach(START);
        session.extend(START.plusSeconds(75), START);
        assertThat(deadline()).isEqualTo(START.plus(RETENTION));
    }

    @Test
    @DisplayName("OWN-01 the retention begins with the last ping that was answered, noticed late")
    void theRetentionFollowsThePings() {
        var owner = claimant("a", 5, 1);
        session.attachHeld(owner, true, new Hold(null, START.plusSeconds(10)), START);
        session.answer(START.plusSeconds(15), START.plusSeconds(5));
        session.answer(START.plusSeconds(12), START.plusSeconds(6));
        assertThat(deadline()).isEqualTo(START.plusSeconds(45));
        session.extend(START.plusSeconds(80), START.plusSeconds(6));
        assertThat(deadline()).isEqualTo(START.plusSeconds(45));

        session.detach(START.plusSeconds(35)); // Frozen until then.
        assertThat(deadline()).isEqualTo(START.plusSeconds(45));
        assertThat(session.expire(START.plusSeconds(45))).isTrue();
    }

    @Test
    @DisplayName("OWN-01 pings that are answered do not outlast a lease")
    void answersDoNotExtendALease() {
        session.attach(claimant("a", 5, 1), true, START.plusSeconds(75), START);
        session.answer(SessionRun.FAR, START.plusSeconds(70));
        assertThat(deadline()).isEqualTo(START.plusSeconds(75).plus(RETENTION));
    }

    @Test
    void aLossThatIsNoticedInTimeBeginsTheRetention() {
        session.attach(claimant("a", 5, 1), true, START.plusSeconds(75), START);
        session.answer(START.plusSeconds(15), START.plusSeconds(5));
        session.detach(START.plusSeconds(6));
        assertThat(deadline()).isEqualTo(START.plusSeconds(36));
    }

    @Test
    @DisplayName("OWN-01 an attach that was read too late, after a freeze, creates nothing")
    void anOldAttachCreatesNothing() {
        var hold = new Hold(START.plusSeconds(75), START);
        assertRefused(
                session.attachHeld(claimant("a", 5, 1), true, hold, START),
                LinkError.SESSION_EXPIRED);
        assertThat(session.exists()).isFalse();
    }

    @Test
    @DisplayName("RES-07 the timer of an earlier detach has no effect after a re-attach")
    void anOldTimerEndsNothing() {
        attach("a", 5, 1, true);
        session.detach(START);
        var oldTimer = START.plus(RETENTION);
        attach("a", 5, 2, false);
        assertThat(session.expire(oldTimer)).isFalse();
        session.detach(START.plusSeconds(20));
        assertThat(session.expire(oldTimer)).isFalse();
        assertThat(session.expire(START.plusSeconds(50))).isTrue();
    }

    @Test
    @DisplayName("end by a wish once what was said is acknowledged, and only then a new one begins")
    void leaves() {
        var owner = claimant("a", 5, 1);
        session.attach(owner, true, null, START);
        assertThat(take(new SessionEvent.Release(owner.peer(), true)).after().stage())
                .isEqualTo(SessionStage.ATTACHED);
        take(new SessionEvent.Release(owner.peer(), false));
        assertRefused(take(new SessionEvent.Order(owner.peer(), true)), LinkError.DRAINING);
        assertThat(take(new SessionEvent.Order(owner.peer(), false)).taken().refusal()).isNull();
        assertResumed(attach("b", 6, 1, true), true);

        var over = take(new SessionEvent.Flushed());
        assertThat(over.does(SessionAction.TELL_ENDED)).isTrue();
        assertThat(attach("b", 7, 1, true).does(SessionAction.AWAIT_CLEARED)).isTrue();
        take(new SessionEvent.Cleared());
        assertCreated(attach("b", 7, 1, true));
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

    private static List<Act> steps() {
        var steps = new ArrayList<Act>();
        for (var gateway : List.of("a", "b")) {
            for (long epoch = 1; epoch <= 2; epoch++) {
                for (long generation = 1; generation <= 2; generation++) {
                    for (boolean create : new boolean[] {true, false}) {
                        steps.add(new Act.Attach(claimant(gateway, epoch, generation), create));
                    }
                }
            }
        }
        steps.add(new Act.Detach());
        steps.add(new Act.Wait());
        return steps;
    }

    private sealed interface Act {
        record Attach(Claimant claimant, boolean create) implements Act {}

        record Detach() implements Act {}

        record Wait() implements Act {}
    }

    /** One history and what must hold after each of its steps. */
    private static final class Run {
        private final SessionRun session = new SessionRun(RETENTION);
        private final List<Act> steps;
        private final int[] history;
        private Instant now = START;
        private long highestSeen = -1;
        private long highestHeld = -1;
        private @Nullable Claimant last;

        Run(List<Act> steps, int[] history) {
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

        private void take(Act step) {
            switch (step) {
                case Act.Attach attach -> attach(attach);
                case Act.Detach ignored -> {
                    if (session.attached() != null) {
                        session.detach(now);
                        assertThat(session.state().deadline()).isEqualTo(now.plus(RETENTION));
                    }
                }
                case Act.Wait ignored -> {
                    boolean detached = session.exists() && session.attached() == null;
                    now = now.plus(RETENTION);
                    assertThat(session.expire(now)).isEqualTo(detached);
                }
            }
        }

        private void attach(Act.Attach attach) {
            var claimant = attach.claimant();
            var before = session.attached();
            var deadline = session.state().deadline();
            boolean existed = session.exists();
            var step = session.attach(claimant, attach.create(), null, now);
            var error = SessionRun.refusal(step);
            if (error != null) {
                assertThat(session.attached()).isEqualTo(before);
                assertThat(session.state().deadline()).isEqualTo(deadline);
                require(session.exists() == existed);
                require(!(existed && claimant.epoch() > highestHeld));
                boolean another = last != null && !last.isSameGateway(claimant.peer());
                require(
                        (error == LinkError.FENCED)
                                == (claimant.epoch() < highestSeen || (existed && another)));
            } else if (step.does(SessionAction.CREATE)) {
                require(!existed && attach.create() && claimant.epoch() > highestHeld);
                held(claimant);
            } else {
                require(step.does(SessionAction.RESUME));
                require(existed && claimant.epoch() >= highestSeen);
                require(
                        step.does(SessionAction.TELL_FENCED)
                                == (before != null && claimant.epoch() > before.epoch()));
                require(
                        before == null
                                || claimant.epoch() > before.epoch()
                                || (claimant.isSameGateway(before.peer())
                                        && claimant.generation() > before.generation()));
                held(claimant);
            }
            highestSeen = Math.max(highestSeen, claimant.epoch());
        }

        private void held(Claimant claimant) {
            require(claimant.epoch() >= highestSeen);
            highestHeld = claimant.epoch();
            last = claimant;
            assertThat(session.attached()).isEqualTo(claimant);
            assertThat(session.state().deadline()).isEqualTo(SessionRun.FAR.plus(RETENTION));
            assertThat(session.state().epochs().held()).isEqualTo(claimant.epoch());
        }

        private static void require(boolean holds) {
            if (!holds) {
                throw new AssertionError("a promise is broken");
            }
        }
    }

    private Step attach(String gateway, long epoch, long generation, boolean create) {
        return session.attach(claimant(gateway, epoch, generation), create, null, START);
    }

    private Step take(SessionEvent event) {
        return session.take(event, START);
    }

    private @Nullable Instant deadline() {
        return session.state().deadline();
    }

    private static void assertCreated(Step step) {
        assertThat(step.does(SessionAction.CREATE)).as("%s", step).isTrue();
    }

    private static void assertResumed(Step step, boolean fenced) {
        assertThat(step.does(SessionAction.RESUME)).as("%s", step).isTrue();
        assertThat(step.does(SessionAction.TELL_FENCED)).isEqualTo(fenced);
    }

    private static void assertRefused(Step step, LinkError error) {
        assertThat(SessionRun.refusal(step)).isEqualTo(error);
    }
}
