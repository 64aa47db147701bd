package dev.perigee.worker.instance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fair queue of process starts with a bounded number of slots. Next is the team with the fewest
 * starts in their first moments, then the user with the fewest; among equals a start that a call
 * waits for, then the one whose owner was served longest ago. A start frees its slot when it ends
 * or after {@code hold}; after a third of that it yields the slot to a team, or a user of its own
 * team, that has two starts less.
 *
 * <pre>
 *   enter ──▶ waits ──▶ next: holds a slot ──▶ yields it, still counts ──▶ is not counted
 *               │             │                      │                          ▲
 *               └── leave     └──────────────────────┴── hold is over, leave ───┘
 * </pre>
 *
 * Pure, for one thread at a time. {@link #next} costs a pass over those that wait. Times are in
 * terms of {@link System#nanoTime}.
 *
 * @param <S> a start
 */
final class StartQueue<S extends StartQueue.Start> {
    /** So many starts that calls wait for go before one that no call waits for. */
    private static final int CALLS_IN_A_ROW = 3;

    /** What a holder must have more than who takes its slot. */
    private static final int TOO_MANY = 2;

    private final int slots;
    private final long holdNanos;
    private final Set<S> waiting = new LinkedHashSet<>();
    private final List<S> young = new ArrayList<>();
    private final Map<Object, Long> turns = new HashMap<>();
    private long turn;
    private int callsInARow;

    /**
     * An empty queue.
     *
     * @param slots how many starts hold one at the same time
     * @param hold how long a start holds one at most
     */
    StartQueue(int slots, Duration hold) {
        this.slots = slots;
        this.holdNanos = hold.toNanos();
    }

    /** Owner of a start. */
    record Owner(String team, String user) {}

    /** One start; the queue's to change. */
    abstract static class Start {
        final Owner owner;
        final BooleanSupplier awaited;
        long begunNanos;
        boolean holds;

        /**
         * A start that was not entered yet.
         *
         * @param awaited whether a call waits for it now; quick
         */
        Start(Owner owner, BooleanSupplier awaited) {
            this.owner = owner;
            this.awaited = awaited;
        }
    }

    /** When a start, that long after it began, yields its slot to others. */
    Duration yieldsAfter() {
        return Duration.ofNanos(holdNanos / 3);
    }

    /** It waits from now on. */
    void enter(S start) {
        waiting.add(start);
    }

    /** It ended, or waits no longer. */
    void leave(S start) {
        waiting.remove(start);
        young.remove(start);
        start.holds = false;
    }

    /** The start that begins now; null when none may. */
    @Nullable S next(long now) {
        young.removeIf(start -> isOver(start, now));
        if (waiting.isEmpty()) {
            turns.clear();
            return null;
        }
        var load = new Load(young);
        var yielding = yielding(now);
        boolean free = holders() < slots;
        S best = null;
        Rank bestRank = null;
        for (var start : waiting) {
            if (free || yielding.stream().anyMatch(holder -> load.yields(holder, start))) {
                var rank = rank(start, load);
                if (bestRank == null || rank.compareTo(bestRank) < 0) {
                    best = start;
                    bestRank = rank;
                }
            }
        }
        if (best != null && bestRank != null) {
            begin(best, bestRank, free ? null : holderFor(best, load, yielding), now);
        }
        return best;
    }

    private boolean isOver(S start, long now) {
        boolean over = now - start.begunNanos >= holdNanos;
        if (over) {
            start.holds = false;
        }
        return over;
    }

    private int holders() {
        return (int) young.stream().filter(start -> start.holds).count();
    }

    /** Those whose slot others may take, the oldest first. */
    private List<S> yielding(long now) {
        return young.stream()
                .filter(start -> start.holds && now - start.begunNanos >= holdNanos / 3)
                .toList();
    }

    private S holderFor(S start, Load load, List<S> yielding) {
        return yielding.stream().filter(it -> load.yields(it, start)).findFirst().orElseThrow();
    }

    private void begin(S start, Rank rank, @Nullable S yields, long now) {
        if (yields != null) {
            yields.holds = false;
        }
        waiting.remove(start);
        start.holds = true;
        start.begunNanos = now;
        young.add(start);
        turn++;
        turns.put(start.owner.team(), turn);
        turns.put(start.owner, turn);
        callsInARow = rank.awaited() ? callsInARow + 1 : 0;
    }

    private Rank rank(S start, Load load) {
        boolean awaited = start.awaited.getAsBoolean();
        return new Rank(
                load.of(start.owner.team()),
                load.of(start.owner),
                awaited,
                awaited == (callsInARow < CALLS_IN_A_ROW),
                turns.getOrDefault(start.owner.team(), 0L),
                turns.getOrDefault(start.owner, 0L));
    }

    /** Priority of a waiting start; of equal ones the first that came. */
    private record Rank(
            int teamLoad,
            int userLoad,
            boolean awaited,
            boolean preferred,
            long teamTurn,
            long userTurn)
            implements Comparable<Rank> {
        private static final Comparator<Rank> ORDER =
                Comparator.comparingInt(Rank::teamLoad)
                        .thenComparingInt(Rank::userLoad)
                        .thenComparing(Rank::preferred, Comparator.reverseOrder())
                        .thenComparingLong(Rank::teamTurn)
                        .thenComparingLong(Rank::userTurn);

        @Override
        public int compareTo(Rank other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Counts of the starts of each team and user in their first moments, with a slot or without.
     */
    private static final class Load {
        private final Map<Object, Integer> counts = new HashMap<>();

        Load(List<? extends Start> young) {
            for (var start : young) {
                counts.merge(start.owner.team(), 1, Integer::sum);
                counts.merge(start.owner, 1, Integer::sum);
            }
        }

        int of(Object teamOrUser) {
            return counts.getOrDefault(teamOrUser, 0);
        }

        boolean yields(Start holder, Start other) {
            boolean sameTeam = holder.owner.team().equals(other.owner.team());
            return sameTeam
                    ? of(holder.owner) - of(other.owner) >= TOO_MANY
                    : of(holder.owner.team()) - of(other.owner.team()) >= TOO_MANY;
        }
    }
}
