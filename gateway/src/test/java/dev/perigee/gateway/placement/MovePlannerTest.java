package dev.perigee.gateway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.protocol.link.SessionNotice.Phase;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class MovePlannerTest {
    private static final int PARTITIONS = 64;
    private static final MoveLimits LIMITS =
            new MoveLimits(
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(1),
                    4,
                    Duration.ofMinutes(1));

    private final MovePlanner planner = new MovePlanner(LIMITS);
    private final Map<Integer, Hosted> hosted = new HashMap<>();
    private Instant now = Instant.parse("2026-11-20T10:00:00Z");
    private long epochs;

    private static WorkerView worker(int number, LinkState state, Phase phase) {
        return new WorkerView(
                URI.create("ws://127.0.0.1:707" + number + "/link"),
                "worker-" + number,
                "x",
                state,
                Instant.EPOCH,
                null,
                Duration.ofSeconds(30),
                100,
                phase,
                null,
                false);
    }

    private static WorkerView serving(int number) {
        return worker(number, LinkState.CONNECTED, Phase.SERVING);
    }

    private static List<WorkerView> servingUpTo(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(MovePlannerTest::serving).toList();
    }

    /** Puts all partitions where these workers would have them. */
    private void placedOn(List<WorkerView> workers) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            place(partition, winner(partition, workers));
        }
    }

    private void place(int partition, String workerId) {
        hosted.put(partition, new Hosted(partition, workerId, ++epochs));
    }

    private static String winner(int partition, List<WorkerView> workers) {
        var chosen = RendezvousPlacement.choose(partition, Weights.of(workers));
        assertThat(chosen).isNotNull();
        return String.valueOf(chosen);
    }

    private List<Move> next(List<WorkerView> workers) {
        return planner.next(workers, List.copyOf(hosted.values()), now);
    }

    /** Lets time pass in steps; every move succeeds, or, with processes, stays. */
    private List<Move> run(List<WorkerView> workers, Duration time, boolean processes) {
        var moves = new ArrayList<Move>();
        var end = now.plus(time);
        for (; now.isBefore(end); now = now.plusMillis(500)) {
            for (var move : next(workers)) {
                moves.add(move);
                if (processes && move.manner() == Manner.IDLE) {
                    planner.stayed(move.partition(), 1 + move.partition(), 0, now);
                } else {
                    place(move.partition(), winner(move.partition(), workers));
                }
            }
        }
        return moves;
    }

    @Test
    void nothingMovesWhereAllIsWell() {
        placedOn(servingUpTo(3));

        assertThat(run(servingUpTo(3), Duration.ofMinutes(10), false)).isEmpty();
    }

    @Test
    @DisplayName("FLT-03: a worker that was added gets its share, one at a time, after a while")
    void aNewWorkerGetsItsShare() {
        placedOn(servingUpTo(2));
        var three = servingUpTo(3);
        long share =
                hosted.keySet().stream().filter(p -> "worker-3".equals(winner(p, three))).count();

        assertThat(run(three, Duration.ofSeconds(30), false)).isEmpty();
        var moves = run(three, Duration.ofSeconds(10), false);
        assertThat(moves).hasSize(10).allMatch(move -> move.manner() == Manner.IDLE);
        moves.addAll(run(three, Duration.ofMinutes(5), false));

        assertThat(moves).hasSize((int) share);
        assertThat(moves).extracting(Move::partition).doesNotHaveDuplicates();
    }

    @Test
    void aWorkerThatComesAndGoesGetsNothing() {
        placedOn(servingUpTo(2));
        for (int i = 0; i < 20; i++) {
            assertThat(run(servingUpTo(3), Duration.ofSeconds(29), false)).isEmpty();
            assertThat(run(servingUpTo(2), Duration.ofSeconds(1), false)).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "FLT-03: what has processes moves seldom, the fewest first, and only while it is worth it")
    void partitionsWithProcessesMoveSeldom() {
        placedOn(servingUpTo(1));
        var two = servingUpTo(2);

        var moves = run(two, Duration.ofMinutes(90), true);
        var live = moves.stream().filter(move -> move.manner() == Manner.QUIET).toList();

        assertThat(live).hasSizeBetween(20, 32).hasSizeLessThanOrEqualTo(90);
        assertThat(live).extracting(Move::partition).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void partitionsWithProcessesStayWhereThatIsSaid() {
        var never =
                new MovePlanner(
                        new MoveLimits(
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ZERO,
                                4,
                                Duration.ofMinutes(1)));
        placedOn(servingUpTo(1));
        for (int i = 0; i < 500; i++) {
            for (var move : never.next(servingUpTo(2), List.copyOf(hosted.values()), now)) {
                assertThat(move.manner()).isEqualTo(Manner.IDLE);
                never.stayed(move.partition(), 1, 0, now);
            }
            now = now.plusSeconds(1);
        }
    }

    @Test
    void aDrainingWorkerIsLeftAFewAtATime() {
        placedOn(servingUpTo(2));
        var workers = List.of(worker(1, LinkState.CONNECTED, Phase.DRAINING), serving(2));
        var theirs = hosted.values().stream().filter(h -> "worker-1".equals(h.workerId())).toList();

        var first = next(workers);
        assertThat(first).hasSize(4).allMatch(move -> move.manner() == Manner.FORCED);
        assertThat(next(workers)).isEmpty();
        place(first.getFirst().partition(), "worker-2");
        var fifth = next(workers);
        assertThat(fifth).hasSize(1).doesNotContainAnyElementsOf(first);
        first.forEach(move -> place(move.partition(), "worker-2"));
        place(fifth.getFirst().partition(), "worker-2");
        assertThat(run(workers, Duration.ofSeconds(20), false)).hasSize(theirs.size() - 5);
        assertThat(hosted.values()).allMatch(h -> "worker-2".equals(h.workerId()));
    }

    @Test
    void aMoveThatDoesNotEndIsNotWaitedForForEver() {
        placedOn(servingUpTo(1));
        var workers = List.of(worker(1, LinkState.CONNECTED, Phase.DRAINING), serving(2));
        var first = next(workers);
        hosted.replaceAll(
                (p, h) ->
                        first.stream().anyMatch(m -> m.partition() == p)
                                ? new Hosted(p, null, 0)
                                : h);

        now = now.plusSeconds(59);
        assertThat(next(workers)).isEmpty();
        now = now.plusSeconds(1);
        assertThat(next(workers)).hasSize(4).doesNotContainAnyElementsOf(first);
    }

    @Test
    void withNowhereToGoADrainingWorkerIsNotLeftButOneThatStopsIs() {
        placedOn(servingUpTo(1));
        var draining =
                List.of(
                        worker(1, LinkState.CONNECTED, Phase.DRAINING),
                        worker(2, LinkState.RECOVERING, Phase.SERVING));
        var stopping = List.of(worker(1, LinkState.CONNECTED, Phase.STOPPING));

        assertThat(next(draining)).isEmpty();
        assertThat(MovePlanner.isStuck(draining.getFirst(), draining)).isTrue();
        assertThat(next(stopping)).as("nothing to pace").hasSize(PARTITIONS);
        assertThat(MovePlanner.isStuck(stopping.getFirst(), stopping)).isFalse();
    }

    @Test
    void whatIsOnALinkThatRecoversIsLeftAlone() {
        placedOn(servingUpTo(2));
        var workers = List.of(worker(1, LinkState.RECOVERING, Phase.DRAINING), serving(2));

        assertThat(run(workers, Duration.ofMinutes(5), false)).isEmpty();
    }
}
