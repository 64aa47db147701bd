package dev.perigee.worker.process;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Bytes that one tree reads from and writes to disks, in windows one after the other. Looks once a
 * second, at one small file for each process and at that of the jail's control group where it has
 * one. The larger sum counts: a group misses what a file system writes in nobody's name, processes
 * miss what a short-lived one did that nobody waited for. For one thread.
 */
final class DiskTraffic {
    /** How long a window is. */
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final Duration PACE = Duration.ofSeconds(1);

    private final LongSupplier group;
    private final ToLongFunction<ProcessEntry> process;
    private final TreeAccount account = new TreeAccount(-1);
    private long groupBefore;
    private long ofGroup;
    private long ofProcesses;
    private long windowBegan;
    private long lookedAt;

    /**
     * Traffic of a tree that has just started.
     *
     * @param group all bytes until now as a control group counts them, 0 without one
     * @param nanos now
     */
    DiskTraffic(LongSupplier group, long nanos) {
        this(group, entry -> ProcIo.bytes(entry.pid()), nanos);
    }

    /** With another source for processes. */
    DiskTraffic(LongSupplier group, ToLongFunction<ProcessEntry> process, long nanos) {
        this.group = group;
        this.process = process;
        this.windowBegan = nanos;
        this.lookedAt = nanos - PACE.toNanos();
    }

    /** Those of the window that is under way, at most a second old. */
    long bytes(List<ProcessEntry> members, long nanos) {
        if (nanos - lookedAt >= PACE.toNanos()) {
            lookedAt = nanos;
            look(members, nanos);
        }
        return Math.max(ofGroup, ofProcesses);
    }

    private void look(List<ProcessEntry> members, long nanos) {
        if (nanos - windowBegan >= WINDOW.toNanos()) {
            windowBegan = nanos;
            ofGroup = 0;
            ofProcesses = 0;
        }
        long groupNow = Math.max(groupBefore, group.getAsLong());
        ofGroup += groupNow - groupBefore;
        groupBefore = groupNow;
        ofProcesses += account.advance(members.stream().map(this::count).toList());
    }

    private TreeAccount.Count count(ProcessEntry entry) {
        return TreeAccount.Count.ofBoth(entry.stat(), process.applyAsLong(entry));
    }
}
