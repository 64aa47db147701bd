package dev.perigee.gateway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RendezvousPlacementTest {
    private static final int MANY = 20_000;

    private static Map<String, Double> even(int workers) {
        var weights = new HashMap<String, Double>();
        for (var worker = 1; worker <= workers; worker++) {
            weights.put("worker-" + worker, 1.0);
        }
        return weights;
    }

    private static long won(String workerId, Map<String, Double> weights) {
        return IntStream.range(0, MANY)
                .filter(p -> workerId.equals(RendezvousPlacement.choose(p, weights)))
                .count();
    }

    @Test
    void spreadsEvenly() {
        for (var worker = 1; worker <= 5; worker++) {
            assertThat((double) won("worker-" + worker, even(5)))
                    .isCloseTo(MANY / 5.0, Percentage.withPercentage(6));
        }
    }

    @Test
    void followsTheWeights() {
        var weights = Map.of("small", 1.0, "large", 3.0);

        assertThat((double) won("large", weights))
                .isCloseTo(MANY * 0.75, Percentage.withPercentage(4));
    }

    @Test
    @DisplayName("FLT-03: a worker that joins takes its share and moves nothing else")
    void aJoiningWorkerMovesOnlyWhatItTakes() {
        var moved = 0;
        for (var partition = 0; partition < MANY; partition++) {
            var before = RendezvousPlacement.choose(partition, even(4));
            var after = RendezvousPlacement.choose(partition, even(5));
            if (!Objects.equals(before, after)) {
                assertThat(after).isEqualTo("worker-5");
                moved++;
            }
        }
        assertThat((double) moved).isCloseTo(MANY / 5.0, Percentage.withPercentage(6));
    }

    @Test
    void aLeavingWorkerGivesAwayOnlyWhatItHad() {
        for (var partition = 0; partition < 1_000; partition++) {
            var before = RendezvousPlacement.choose(partition, even(4));
            var left = even(4);
            left.remove("worker-2");
            var after = RendezvousPlacement.choose(partition, left);
            if (!Objects.equals(before, "worker-2")) {
                assertThat(after).isEqualTo(before);
            }
        }
    }

    @Test
    void nobodyIsChosenWhereNobodyHasAWeight() {
        assertThat(RendezvousPlacement.choose(1, Map.of())).isNull();
        assertThat(RendezvousPlacement.choose(1, Map.of("a", 0.0, "b", -1.0))).isNull();
        assertThat(RendezvousPlacement.ranked(1, Map.of("a", 0.0, "b", 1.0))).containsExactly("b");
    }

    @Test
    @DisplayName("the same in every version: gateways of two releases must agree")
    void doesNotChange() {
        var chosen =
                IntStream.range(0, 8)
                        .mapToObj(p -> RendezvousPlacement.choose(p, even(3)))
                        .toList();

        assertThat(chosen)
                .containsExactly(
                        "worker-3",
                        "worker-2",
                        "worker-2",
                        "worker-3",
                        "worker-3",
                        "worker-1",
                        "worker-2",
                        "worker-1");
    }
}
