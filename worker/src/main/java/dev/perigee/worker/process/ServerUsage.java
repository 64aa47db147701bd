package dev.perigee.worker.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory and processor time of all that a worker started: servers with everything below them, in
 * jails too, and installations of packages. Costs one reading of the shared process table and one
 * small file for each process of these trees. Any thread may ask; who asks while a measurement is
 * fresh gets that one, and who asks during one waits for it.
 */
public final class ServerUsage {
    private static final Logger log = LoggerFactory.getLogger(ServerUsage.class);

    private final Supplier<ProcessSnapshot> table;
    private final ToLongFunction<ProcessEntry> memory;
    private final LongSupplier nanos;
    private final String mark;
    private final long freshNanos;
    private final long worker = ProcessHandle.current().pid();
    private final TreeAccount account = new TreeAccount(worker);
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable Usage newest;
    private long measuredAt;
    private long spentTicks;

    /**
     * Measures nothing yet.
     *
     * @param owner whose processes
     * @param fresh how old a measurement may be that is answered again
     */
    public ServerUsage(ProcessTable table, ProcessOwner owner, Duration fresh) {
        this(
                table::read,
                entry -> ProcMemory.read(entry.pid()),
                owner.incarnationPrefix(),
                fresh,
                System::nanoTime);
    }

    /** With other sources. */
    ServerUsage(
            Supplier<ProcessSnapshot> table,
            ToLongFunction<ProcessEntry> memory,
            String mark,
            Duration fresh,
            LongSupplier nanos) {
        this.table = table;
        this.memory = memory;
        this.mark = mark;
        this.freshNanos = fresh.toNanos();
        this.nanos = nanos;
    }

    /**
     * A measurement.
     *
     * @param processes how many live
     * @param memoryBytes their anonymous resident memory; what a process shares with those that it
     *     forked counts for each
     * @param cpuSeconds user and system time since the worker started, of ended processes too
     * @param cpuLoad the same since the measurement before, as a share from 0 to 1 of the
     *     processors that the worker can use; not a number at the first one
     */
    public record Usage(int processes, long memoryBytes, double cpuSeconds, double cpuLoad) {}

    /** Null where processes cannot be seen: without {@code /proc}, or when reading it failed. */
    public @Nullable Usage now() {
        lock.lock();
        try {
            if (newest == null || nanos.getAsLong() - measuredAt >= freshNanos) {
                newest = measure();
            }
            return newest;
        } catch (RuntimeException e) {
            log.atWarn().setCause(e).log("Cannot measure the processes of servers");
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Usage measure() {
        var snapshot = table.get();
        var self = snapshot.find(worker);
        if (self == null || self.stat().memoryBytes() == 0) {
            // Without /proc a process has neither memory nor marks.
            return null;
        }
        var members = ProcessTree.marked(mark, snapshot);
        long at = nanos.getAsLong();
        long ticks = account.advance(counts(members, self));
        spentTicks += ticks;
        double load =
                newest == null
                        ? Double.NaN
                        : Math.min(1, seconds(ticks) / processors() / (at - measuredAt) * 1e9);
        measuredAt = at;
        return new Usage(
                members.size(),
                members.stream().mapToLong(memory).sum(),
                seconds(spentTicks),
                load);
    }

    private static List<TreeAccount.Count> counts(List<ProcessEntry> members, ProcessEntry self) {
        var counts = new ArrayList<TreeAccount.Count>(members.size() + 1);
        members.forEach(member -> counts.add(TreeAccount.Count.ofTicks(member.stat())));
        counts.add(TreeAccount.Count.ofTicks(self.stat()));
        return counts;
    }

    private static double seconds(long ticks) {
        return (double) ticks / ProcStat.TICKS_PER_SECOND;
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }
}
