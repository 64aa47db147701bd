package dev.perigee.gateway.placement;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.Move.Manner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Planner of moves: which partitions of a gateway leave their workers, and when. Those on a worker
 * that drains leave a few at a time, where there is another worker or the one they are on will end
 * anyway. Those that are better off elsewhere, as after a worker was added, leave one at a time and
 * not often: first those without processes; one with processes only if that is allowed and its
 * worker still has more of this gateway's partitions than the other, in proportion, when it has
 * gone. Pure but for what it remembers; for one thread.
 */
public final class MovePlanner {
    private final MoveLimits limits;
    private final Map<Integer, Moving> moving = new HashMap<>();
    private final Map<Integer, Better> better = new HashMap<>();
    private final Map<Integer, Looked> looked = new HashMap<>();
    private Instant lastMove = Instant.MIN;
    private Instant lastLiveMove = Instant.MIN;

    private record Moving(long epoch, Instant since, Manner manner) {}

    /** Another worker than the one it is on, and since when. */
    private record Better(String from, String to, Instant since) {}

    private record Looked(int processes, int requests, Instant at) {}

    private record Candidate(Hosted hosted, String from, String to) {}

    public MovePlanner(MoveLimits limits) {
        this.limits = limits;
    }

    /** What is to be moved now; each is asked for once. */
    public List<Move> next(List<WorkerView> workers, List<Hosted> hosted, Instant now) {
        forget(hosted, now);
        var moves = new ArrayList<>(drains(workers, hosted, now));
        var balancing = balance(workers, hosted, now);
        if (balancing != null) {
            moves.add(balancing);
        }
        return moves;
    }

    /** A partition did not move: it had these processes and requests. */
    public void stayed(int partition, int processes, int requests, Instant now) {
        moving.remove(partition);
        looked.put(partition, new Looked(processes, requests, now));
    }

    /** Whether partitions on a worker that drains have nowhere to go and wait there for another. */
    public static boolean isStuck(WorkerView worker, List<WorkerView> workers) {
        return switch (worker.phase()) {
            case SERVING, STOPPING -> false;
            case DRAINING -> workers.stream().noneMatch(WorkerView::takesSessions);
        };
    }

    private void forget(List<Hosted> hosted, Instant now) {
        var places = new HashMap<Integer, Hosted>();
        hosted.forEach(each -> places.put(each.partition(), each));
        moving.entrySet()
                .removeIf(entry -> isOver(entry.getValue(), places.get(entry.getKey()), now));
        better.keySet().retainAll(places.keySet());
        looked.keySet().retainAll(places.keySet());
    }

    /** Served again, under another claim; or not this gateway's any more. */
    private boolean isOver(Moving move, @Nullable Hosted place, Instant now) {
        return place == null
                || (place.workerId() != null && place.epoch() != move.epoch())
                || !now.isBefore(move.since().plus(limits.longest()));
    }

    private List<Move> drains(List<WorkerView> workers, List<Hosted> hosted, Instant now) {
        var moves = new ArrayList<Move>();
        long room = room(workers);
        for (var each : hosted) {
            var host = viewOf(each.workerId(), workers);
            if (moves.size() < room
                    && host != null
                    && host.isDraining()
                    && !isStuck(host, workers)
                    && !moving.containsKey(each.partition())) {
                moves.add(begin(each, Manner.FORCED, now));
            }
        }
        return moves;
    }

    /**
     * How many more may leave; where none can be served elsewhere soon, there is nothing to pace.
     */
    private long room(List<WorkerView> workers) {
        return workers.stream().anyMatch(WorkerView::takesSessions)
                ? limits.drainParallel()
                        - moving.values().stream().filter(m -> m.manner() == Manner.FORCED).count()
                : Long.MAX_VALUE;
    }

    private @Nullable Move balance(List<WorkerView> workers, List<Hosted> hosted, Instant now) {
        var candidates = candidates(workers, hosted, now);
        if (candidates.isEmpty()
                || !moving.isEmpty()
                || now.isBefore(after(lastMove, limits.interval()))) {
            return null;
        }
        var live = liveMove(candidates, workers, hosted, now);
        if (live != null) {
            lastMove = now;
            lastLiveMove = now;
            return begin(live.hosted(), Manner.QUIET, now);
        }
        lastMove = now;
        return begin(candidates.getFirst().hosted(), Manner.IDLE, now);
    }

    /** Those that have been better off elsewhere for long enough, the longest unseen first. */
    private List<Candidate> candidates(List<WorkerView> workers, List<Hosted> hosted, Instant now) {
        var weights = Weights.of(workers);
        var candidates = new ArrayList<Candidate>();
        for (var each : hosted) {
            var host = viewOf(each.workerId(), workers);
            var from = each.workerId();
            var to = RendezvousPlacement.choose(each.partition(), weights);
            if (from == null || host == null || !host.takesSessions() || to == null) {
                continue;
            }
            if (to.equals(from)) {
                better.remove(each.partition());
                continue;
            }
            var since =
                    better.compute(
                            each.partition(),
                            (_, before) ->
                                    before != null
                                                    && before.from().equals(from)
                                                    && before.to().equals(to)
                                            ? before
                                            : new Better(from, to, now));
            if (!now.isBefore(since.since().plus(limits.settle()))) {
                candidates.add(new Candidate(each, from, to));
            }
        }
        candidates.sort(
                Comparator.comparing(
                        candidate -> {
                            var seen = looked.get(candidate.hosted().partition());
                            return seen == null ? Instant.MIN : seen.at();
                        }));
        return candidates;
    }

    /** Once all were seen to have processes: that with the fewest, if it is worth it. */
    private @Nullable Candidate liveMove(
            List<Candidate> candidates,
            List<WorkerView> workers,
            List<Hosted> hosted,
            Instant now) {
        if (lastLiveMove.equals(Instant.MIN)) {
            lastLiveMove = now; // The first one waits too: what is idle goes first.
        }
        if (limits.liveInterval().isZero()
                || now.isBefore(after(lastLiveMove, limits.liveInterval()))
                || !candidates.stream()
                        .allMatch(each -> looked.containsKey(each.hosted().partition()))) {
            return null;
        }
        return candidates.stream()
                .filter(each -> requests(each) == 0)
                .filter(each -> isWorthIt(each, workers, hosted))
                .min(Comparator.comparingInt(this::processes))
                .orElse(null);
    }

    private int processes(Candidate candidate) {
        var seen = looked.get(candidate.hosted().partition());
        return seen == null ? Integer.MAX_VALUE : seen.processes();
    }

    private int requests(Candidate candidate) {
        var seen = looked.get(candidate.hosted().partition());
        return seen == null ? 0 : seen.requests();
    }

    /** Even when it has gone its worker has not less in proportion than the other. */
    private static boolean isWorthIt(
            Candidate candidate, List<WorkerView> workers, List<Hosted> hosted) {
        var from = viewOf(candidate.from(), workers);
        var to = viewOf(candidate.to(), workers);
        return from != null
                && to != null
                && (count(candidate.from(), hosted) - 1) * (double) to.capacity()
                        >= (count(candidate.to(), hosted) + 1) * (double) from.capacity();
    }

    private static long count(String workerId, List<Hosted> hosted) {
        return hosted.stream().filter(each -> Objects.equals(each.workerId(), workerId)).count();
    }

    private Move begin(Hosted hosted, Manner manner, Instant now) {
        moving.put(hosted.partition(), new Moving(hosted.epoch(), now, manner));
        return new Move(hosted.partition(), manner);
    }

    private static Instant after(Instant moment, Duration time) {
        return moment.equals(Instant.MIN) ? moment : moment.plus(time);
    }

    private static @Nullable WorkerView viewOf(
            @Nullable String workerId, List<WorkerView> workers) {
        for (var worker : workers) {
            if (workerId != null
                    && workerId.equals(worker.workerId())
                    && worker.state() == LinkState.CONNECTED) {
                return worker;
            }
        }
        return null;
    }
}
