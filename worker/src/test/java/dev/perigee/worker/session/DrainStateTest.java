package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.worker.session.DrainState.Phase;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class DrainStateTest {
    private static final Instant SOON = Instant.parse("2026-11-20T10:00:00Z");
    private static final Instant LATER = SOON.plusSeconds(60);

    @Test
    void leavesWhenNothingIsLeft() {
        var draining = DrainState.SERVING.drain("update", SOON);

        assertThat(draining).isEqualTo(new DrainState(Phase.DRAINING, 1, "update", SOON));
        assertThat(draining.left(3)).isEqualTo(draining);
        assertThat(draining.left(0).phase()).isEqualTo(Phase.DRAINED);
        assertThat(DrainState.SERVING.left(0)).isEqualTo(DrainState.SERVING);
    }

    @Test
    void askedAgainItGoesOnWithANewDeadline() {
        var draining = DrainState.SERVING.drain("update", SOON);

        assertThat(draining.drain("again", LATER))
                .isEqualTo(new DrainState(Phase.DRAINING, 1, "update", LATER));
        assertThat(draining.left(0).drain("again", LATER).phase()).isEqualTo(Phase.DRAINED);
    }

    @Test
    void isTakenBackUnlessItStops() {
        var draining = DrainState.SERVING.drain("update", SOON);

        assertThat(draining.undo()).isEqualTo(new DrainState(Phase.SERVING, 2, null, null));
        assertThat(draining.left(0).undo().takesSessions()).isTrue();
        var stopping = draining.stop("end", LATER);
        assertThat(stopping.undo()).isEqualTo(stopping);
        assertThat(stopping.drain("x", LATER)).isEqualTo(stopping);
        assertThat(stopping.left(0)).isEqualTo(stopping);
        assertThat(stopping.notice().phase()).isEqualTo(SessionNotice.Phase.STOPPING);
    }

    @Test
    void theVersionTellsChangesOfPhaseApart() {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        List<UnaryOperator<DrainState>> steps =
                List.of(
                        state -> state.drain("a", SOON),
                        DrainState::undo,
                        state -> state.left(0),
                        state -> state.left(1));
        var state = DrainState.SERVING;
        for (int i = 0; i < 1_000; i++) {
            var next = steps.get(random.nextInt(steps.size())).apply(state);
            assertThat(next.version() - state.version())
                    .as("seed %d", seed)
                    .isEqualTo(next.phase() == state.phase() ? 0 : 1);
            state = next;
        }
    }
}
