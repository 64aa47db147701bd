package dev.perigee.worker.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One launched tree while it lives, with what was measured of it last. The watch measures it on its
 * thread, others end it and ask why it ended.
 */
final class WatchedTree {
    private static final long ENDING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ChildProcess child;
    private final Enclosure enclosure;

    /** No process is the account's worker: all that the tree's processes spend counts. */
    private final TreeAccount account = new TreeAccount(-1);

    private final DiskTraffic traffic;
    private long ticks;

    /** Whether the last walk of its pages was broken off. */
    private boolean walkCut;

    private volatile Longest longest;
    private volatile @Nullable MemoryUse memoryUse;
    private volatile @Nullable LimitEnd end;

    /** Processor time of the process that used the most, at one moment. */
    private record Longest(Duration used, long atNanos) {}

    /**
     * Its memory at the last look.
     *
     * @param growth since the look before, 0 where this is the first
     */
    private record MemoryUse(long bytes, long growth) {

        /** Whether one that grows like this may have reached the limit before the next look. */
        boolean nears(long limit) {
            return growth > 0 && bytes + 2 * growth > limit;
        }
    }

    WatchedTree(ChildProcess child, Enclosure enclosure, long nanos) {
        this.child = child;
        this.enclosure = enclosure;
        this.traffic = new DiskTraffic(enclosure::diskTraffic, nanos);
        this.longest = new Longest(Duration.ZERO, nanos);
    }

    TreeId id() {
        return child.tree();
    }

    TreeLimits limits() {
        return enclosure.limits();
    }

    Tenant tenant() {
        return enclosure.tenant();
    }

    /** Whether the kernel counts all of its memory itself. */
    boolean hasGroup() {
        return enclosure.hasGroup();
    }

    /** Null where its disk is not limited. */
    @Nullable Path home() {
        return limits().limitsDisk() ? enclosure.home() : null;
    }

    /** Why it is being ended, null while it is not. */
    @Nullable LimitEnd end() {
        return end;
    }

    /** Kills all of it, for a reason; the first reason is the one that counts. */
    void end(LimitEnd why) {
        synchronized (this) {
            if (end != null) {
                return;
            }
            end = why;
        }
        child.signal(ProcessSignal.KILL);
    }

    /**
     * Null while all that was measured now is within the limits. The memory is asked last.
     *
     * @param otherBytes of its memory that is no process's
     */
    @Nullable LimitEnd judge(
            List<ProcessEntry> members, long otherBytes, TreeMemory memory, long nanos) {
        account(members, nanos);
        var limits = limits();
        if (enclosure.ranOutOfMemory()) {
            return limits.outOfMemory();
        }
        var tooMany = limits.processes(processes(members));
        if (tooMany != null) {
            return tooMany;
        }
        var cpu = limits.totalCpu(ofTicks(ticks));
        if (cpu != null) {
            return cpu;
        }
        var io = limits.ioBytes() == 0 ? null : limits.io(traffic.bytes(members, nanos));
        if (io != null || limits.memoryBytes() == 0) {
            return io;
        }
        var measured = memory.used(members, otherBytes, limits.memoryBytes(), walkCut);
        walkCut = measured.cut();
        long used = measured.bytes();
        var last = memoryUse;
        memoryUse = new MemoryUse(used, last == null ? 0 : used - last.bytes());
        return limits.memory(used);
    }

    /** Threads included. */
    static int processes(List<ProcessEntry> members) {
        return members.stream().mapToInt(it -> it.stat().threads()).sum();
    }

    private void account(List<ProcessEntry> members, long nanos) {
        ticks +=
                account.advance(
                        members.stream().map(it -> TreeAccount.Count.ofTicks(it.stat())).toList());
        var most = ofTicks(members.stream().mapToLong(it -> it.stat().ownTicks()).max().orElse(0));
        if (!isEnding(most, nanos)) {
            longest = new Longest(most, nanos);
        }
    }

    /**
     * Whether the process that had used most is gone and may have reached the limit: its jail then
     * ends a moment later than it did, and the reason is asked for after that.
     */
    private boolean isEnding(Duration most, long nanos) {
        var seen = longest;
        return most.compareTo(seen.used()) < 0
                && nanos - seen.atNanos() < ENDING_NANOS
                && limits().cpu(mostPossible(nanos)) != null;
    }

    /**
     * Its end with what brought it about, asked once it has ended and before its enclosure is
     * released.
     *
     * @param kernelKilled whether the kernel killed something on this system for want of memory
     *     since the last look
     */
    ExitStatus explain(ExitStatus exit, boolean kernelKilled, long nanos) {
        var decided = end;
        if (decided != null || exit.clean()) {
            return exit.clean() ? exit : exit.by(decided);
        }
        if (enclosure.ranOutOfMemory()) {
            return exit.by(limits().outOfMemory());
        }
        if (!"SIGKILL".equals(exit.signal()) && !"SIGXCPU".equals(exit.signal())) {
            return exit;
        }
        var possible = mostPossible(nanos);
        var cpu = limits().cpu(possible);
        boolean all = cpu != null && possible.compareTo(limits().cpuTime()) >= 0;
        if (!kernelKilled || all) {
            return exit.by(cpu);
        }
        return mayHaveTakenIt() ? exit.by(limits().outOfMemory()) : exit.byStarvation();
    }

    /** Whether the want of memory may be its own doing; it is where its memory is not limited. */
    private boolean mayHaveTakenIt() {
        long limit = limits().memoryBytes();
        var last = memoryUse;
        return limit == 0 || (last != null && last.nears(limit));
    }

    /** What one process can have used by now, on all processors since it was looked at. */
    private Duration mostPossible(long nanos) {
        var seen = longest;
        return seen.used()
                .plusNanos((nanos - seen.atNanos()) * Runtime.getRuntime().availableProcessors())
                .plus(ofTicks(2));
    }

    private static Duration ofTicks(long ticks) {
        return Duration.ofNanos(ticks * (TimeUnit.SECONDS.toNanos(1) / ProcStat.TICKS_PER_SECOND));
    }
}
