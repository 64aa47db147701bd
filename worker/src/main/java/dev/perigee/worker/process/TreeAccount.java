package dev.perigee.worker.process;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Use that a set of process trees makes of what the kernel counts for each process and adds to its
 * reaper's count when it is waited for, such as processor time, from one look at them to the next.
 * No I/O; for one thread at a time.
 *
 * <p>A process that ended between two looks is found in its reaper's count, with all that it spent
 * in its life. What earlier looks saw of it is taken off there, also when it is waited for much
 * later, so nothing counts twice. Lost is what a process spent after the last look when nobody
 * waits for it, or an init outside the trees does.
 */
final class TreeAccount {

    /**
     * Counts of one process.
     *
     * @param startTime ticks since boot
     * @param own of itself
     * @param reaped of its ended descendants that were waited for
     */
    record Count(long pid, long parent, long startTime, long own, long reaped) {

        /** Its processor time, in ticks. */
        static Count ofTicks(ProcStat stat) {
            return new Count(
                    stat.pid(),
                    stat.parent(),
                    stat.startTime(),
                    stat.ownTicks(),
                    stat.reapedTicks());
        }

        /** Something of which the kernel has its own and its descendants' in one number. */
        static Count ofBoth(ProcStat stat, long amount) {
            return new Count(stat.pid(), stat.parent(), stat.startTime(), 0, amount);
        }
    }

    private final long worker;
    private Map<Long, Count> last = Map.of();

    /** What was counted of ended descendants and is still to come in a reaper's count. */
    private Map<Long, Long> counted = Map.of();

    /**
     * An account before the first look.
     *
     * @param worker the process that starts the trees and waits for them; what it spends itself
     *     does not count
     */
    TreeAccount(long worker) {
        this.worker = worker;
    }

    /**
     * What was spent since the look before; at the first look since the processes started.
     *
     * @param processes all live ones of the trees, and the worker
     */
    long advance(List<Count> processes) {
        var now = new HashMap<Long, Count>();
        processes.forEach(stat -> now.put(stat.pid(), stat));
        var owed = owed(now);
        var left = new HashMap<Long, Long>();
        long spent = 0;
        for (var stat : now.values()) {
            var before = same(last.get(stat.pid()), stat) ? last.get(stat.pid()) : null;
            long reaped = reaped(before, stat);
            long known = owed.getOrDefault(stat.pid(), 0L);
            long repeated = Math.min(known, reaped);
            spent += own(before, stat) + reaped - repeated;
            if (known > repeated) {
                left.put(stat.pid(), known - repeated);
            }
        }
        last = now;
        counted = left;
        return spent;
    }

    private long own(@Nullable Count before, Count stat) {
        if (stat.pid() == worker) {
            return 0;
        }
        return Math.max(0, stat.own() - (before == null ? 0 : before.own()));
    }

    private long reaped(@Nullable Count before, Count stat) {
        if (before == null) {
            // What the worker waited for before the first look is not of these trees.
            return stat.pid() == worker ? 0 : stat.reaped();
        }
        return Math.max(0, stat.reaped() - before.reaped());
    }

    /** By the process id of those who live. */
    private Map<Long, Long> owed(Map<Long, Count> now) {
        var owed = new HashMap<Long, Long>();
        for (var stat : last.values()) {
            long known = counted.getOrDefault(stat.pid(), 0L);
            var heir = stat;
            if (!same(stat, now.get(stat.pid()))) {
                known += stat.own() + stat.reaped();
                heir = survivor(stat, now);
            }
            if (heir != null && known > 0) {
                owed.merge(heir.pid(), known, Long::sum);
            }
        }
        return owed;
    }

    /** The nearest ancestor that lives, null when there is none in the trees. */
    private @Nullable Count survivor(Count gone, Map<Long, Count> now) {
        var ancestor = last.get(gone.parent());
        // A look takes time: a number that was given again meanwhile could close a circle.
        for (int hops = 0; ancestor != null && hops < last.size(); hops++) {
            if (same(ancestor, now.get(ancestor.pid()))) {
                return ancestor;
            }
            ancestor = last.get(ancestor.parent());
        }
        return null;
    }

    private static boolean same(@Nullable Count one, @Nullable Count other) {
        return one != null && other != null && one.startTime() == other.startTime();
    }
}
