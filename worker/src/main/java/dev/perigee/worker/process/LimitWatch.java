package dev.perigee.worker.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends servers that use more than their limits, also where the kernel does not limit them: without
 * a control group for each server, as in most containers. One thread looks at all trees in one
 * reading of the process table, every {@link Pace#look} or, where a look is dear, so seldom that
 * looking takes a twentieth of one processor, up to two seconds apart; what is dear in it has the
 * time of {@link LookTime}. Another thread measures their homes. Both rest while nothing is
 * watched. Between two looks nothing holds a server but what the kernel limits, and that the kernel
 * prefers servers when it must kill ({@code oom_score_adj}).
 */
public final class LimitWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LimitWatch.class);

    /** A look is followed by this many times its own duration of rest. */
    private static final int REST = 19;

    private static final Duration LONGEST_REST = Duration.ofSeconds(2);

    /**
     * Intervals of the watch.
     *
     * @param look at processes
     * @param walk of the homes' files
     */
    public record Pace(Duration look, Duration walk) {
        /** Four times a second at processes, every five seconds at homes. */
        public static Pace usual() {
            return new Pace(Duration.ofMillis(250), Duration.ofSeconds(5));
        }
    }

    /**
     * Limits on what all trees use together, beyond which the largest of the tenant who uses the
     * most is ended; 0 is unlimited.
     *
     * @param processes and threads
     * @param availableBytes memory that is free or can be freed, asked when all may use too much:
     *     as long as it covers what trees may still take, nobody ends for what his sockets and
     *     pipes could hold; 0 has that count whatever is free
     */
    public record Totals(long memoryBytes, int processes, LongSupplier availableBytes) {}

    private final ProcessTable table;
    private final Duration pace;
    private final Totals totals;
    private final DiskReserve reserve;
    private final Consumer<Limit> ends;
    private final LookTime time = new LookTime(System::nanoTime);
    private final TreeMemory memory = new TreeMemory(time);
    private final MemoryFiles files = new MemoryFiles();
    private final KernelMemory kernel = new KernelMemory(time);
    private final Set<WatchedTree> watched = ConcurrentHashMap.newKeySet();
    private final HomeWatch homes;

    /** As many as there were before the last look but one: an end is heard of after its look. */
    private volatile long kernelKills = KernelKills.count();

    private long lastKills = kernelKills;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    private LimitWatch(
            ProcessTable table,
            Pace pace,
            Totals totals,
            DiskReserve reserve,
            Consumer<Limit> ends) {
        this.table = table;
        this.pace = pace.look();
        this.totals = totals;
        this.reserve = reserve;
        this.ends = ends;
        this.homes = new HomeWatch(table, watched, pace.walk(), reserve);
    }

    /**
     * Starts watching, nothing yet.
     *
     * @param reserve of the file system that has the homes
     * @param ends told of each end by a limit, on any thread; must not block
     */
    public static LimitWatch start(
            ProcessTable table,
            Pace pace,
            Totals totals,
            DiskReserve reserve,
            Consumer<Limit> ends) {
        var watch = new LimitWatch(table, pace, totals, reserve, ends);
        watch.thread = Thread.ofPlatform().daemon().name("limit-watch").start(watch::run);
        watch.homes.start();
        return watch;
    }

    /** Watches a tree from now on. It must be forgotten when it has ended. */
    WatchedTree watch(ChildProcess child, Enclosure enclosure) {
        var tree = new WatchedTree(child, enclosure, System.nanoTime());
        watched.add(tree);
        LockSupport.unpark(thread);
        homes.wake();
        return tree;
    }

    /** Called when it is certain that the tree's first process has ended, any number of times. */
    void forget(WatchedTree tree) {
        watched.remove(tree);
    }

    /** A tree's end with what brought it about. Called once for a tree. */
    ExitStatus explain(WatchedTree tree, ExitStatus exit) {
        boolean killed = "SIGKILL".equals(exit.signal()) && KernelKills.count() > kernelKills;
        var explained = tree.explain(exit, killed, System.nanoTime());
        if (explained.limit() != null) {
            ends.accept(explained.limit().limit());
        }
        return explained;
    }

    /**
     * Why a program whose home is this must not start, null when it may. Blocks where it may not.
     */
    @Nullable LimitEnd refusal(@Nullable Path home, TreeLimits limits) {
        return home == null || !limits.limitsDisk() ? null : homes.refusal(home, limits);
    }

    /**
     * Why nothing that writes files is started now, null when it may be.
     *
     * @param home of what is to be started; null for what only removes files
     */
    @Nullable String reserved(@Nullable Path home) {
        return home == null ? null : reserve.refusal();
    }

    private void run() {
        while (!closed) {
            if (watched.isEmpty()) {
                LockSupport.park(this);
                lastKills = KernelKills.count();
                kernelKills = lastKills;
                continue;
            }
            long began = System.nanoTime();
            try {
                look();
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("Cannot check the limits of servers");
            }
            long rest = REST * (System.nanoTime() - began);
            HomeWatch.rest(Math.clamp(rest, pace.toNanos(), LONGEST_REST.toNanos()), () -> closed);
        }
    }

    /**
     * One tree's processes at one moment.
     *
     * @param otherBytes its memory that is no process's
     * @param possibleBytes the most in what counts toward the memory of all only
     */
    private record Seen(
            WatchedTree tree, List<ProcessEntry> members, long otherBytes, long possibleBytes) {

        SharedUse<WatchedTree> processes() {
            return new SharedUse<>(tree, tree.tenant(), WatchedTree.processes(members));
        }

        /** It uses no more, in bytes. */
        long mostMemory() {
            return TreeMemory.resident(members) + otherBytes + possibleBytes;
        }
    }

    private void look() {
        if (!reserve.isKept()) {
            homes.wake();
        }
        var trees = new ArrayList<>(watched);
        // What there is no time for is another tree's in the next look.
        Collections.shuffle(trees);
        kernelKills = lastKills;
        lastKills = KernelKills.count();
        var snapshot = table.read();
        kernel.begin();
        time.begin((int) trees.stream().filter(it -> !it.hasGroup()).count());
        var within = new ArrayList<Seen>();
        var allowance = new TenantAllowance();
        for (var tree : trees) {
            var members = ProcessTree.of(tree.id(), snapshot);
            if (tree.end() == null) {
                var held = held(tree, members);
                long otherBytes = files.bytes(members) + held.counted();
                var end = tree.judge(members, otherBytes, memory, System.nanoTime());
                if (end == null) {
                    long more = allowance.beyond(tree.tenant(), held.uncounted());
                    within.add(new Seen(tree, members, otherBytes, more));
                } else {
                    tree.end(end);
                }
            }
        }
        shared(within);
    }

    /** Where a control group counts what the kernel holds, the most that it may hold does not. */
    private KernelMemory.Held held(WatchedTree tree, List<ProcessEntry> members) {
        return tree.hasGroup() ? KernelMemory.Held.NOTHING : kernel.measure(members);
    }

    private void shared(List<Seen> all) {
        if (!endsForProcesses(all)) {
            endForMemory(all);
        }
    }

    /** At once as many as it takes: where there are none left nobody can start any. */
    private boolean endsForProcesses(List<Seen> all) {
        int limit = totals.processes();
        var left = new ArrayList<>(all.stream().map(Seen::processes).toList());
        for (var excess = SharedUse.beyond(limit, left);
                excess != null;
                excess = SharedUse.beyond(limit, left)) {
            var tree = excess.tree();
            tree.end(TreeLimits.sharedProcesses(excess, limit));
            left.removeIf(it -> it.tree().equals(tree));
        }
        return left.size() < all.size();
    }

    /** One; the next look finds the rest. */
    private void endForMemory(List<Seen> all) {
        long limit = totals.memoryBytes();
        if (limit == 0 || all.stream().mapToLong(Seen::mostMemory).sum() <= limit) {
            return;
        }
        time.beginComparing(all.size());
        var seen = all.stream().sorted(Comparator.comparingInt(it -> it.members().size())).toList();
        var known = seen.stream().map(this::memoryOf).toList();
        var excess = SharedUse.beyond(limit, known);
        if (excess == null) {
            excess = possibleExcess(limit, seen, known);
        }
        if (excess != null) {
            excess.tree().end(TreeLimits.sharedMemory(excess, limit));
        }
    }

    /**
     * What may be held unseen decides only where what is known is within the limit, and there is no
     * memory for what trees may still take.
     */
    private SharedUse.@Nullable Excess<WatchedTree> possibleExcess(
            long limit, List<Seen> seen, List<SharedUse<WatchedTree>> known) {
        var uses = new ArrayList<SharedUse<WatchedTree>>();
        for (int i = 0; i < seen.size(); i++) {
            var each = known.get(i);
            long most = each.used() + seen.get(i).possibleBytes();
            uses.add(new SharedUse<>(each.tree(), each.tenant(), most));
        }
        long sum = known.stream().mapToLong(SharedUse::used).sum();
        boolean isThere = totals.availableBytes().getAsLong() >= limit - sum;
        return isThere ? null : SharedUse.beyond(limit, uses);
    }

    private SharedUse<WatchedTree> memoryOf(Seen seen) {
        var tree = seen.tree();
        return new SharedUse<>(
                tree, tree.tenant(), memory.compared(seen.members(), seen.otherBytes()));
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        homes.close();
    }
}
