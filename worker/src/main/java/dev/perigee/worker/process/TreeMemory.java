package dev.perigee.worker.process;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * Measures the memory of a tree as exactly as a decision needs it, since the exact number is dear:
 * first by what is resident, which the process table has already; where that is above the limit, by
 * one small file for each process; where that is above it, too, by a walk of each one's pages,
 * which counts once what processes share. For one thread.
 *
 * @param held a process's own memory in bytes, what it shares in full
 * @param proportional the same, of what it shares its part
 * @param time of the look
 */
record TreeMemory(
        ToLongFunction<ProcessEntry> held,
        ToLongFunction<ProcessEntry> proportional,
        LookTime time) {

    TreeMemory(LookTime time) {
        this(
                entry -> ProcMemory.held(entry.pid()),
                entry -> ProcMemory.proportional(entry.pid()),
                time);
    }

    /**
     * In bytes: at least what is used, and exact where more than the limit is.
     *
     * @param cut whether the walk was broken off when its time was over, and the rest counted in
     *     full
     */
    record Used(long bytes, boolean cut) {}

    /**
     * Where this look has no time left for a walk, the limit, unless one process alone is above it:
     * it is known no better, and another look will have the time. So it is where the walk was cut
     * for the first time: it may have been the worker that paused, which says nothing of the tree.
     *
     * @param otherBytes of the tree's memory that is no process's, which counts besides
     * @param cutBefore whether the walk before was cut
     */
    Used used(List<ProcessEntry> members, long otherBytes, long limitBytes, boolean cutBefore) {
        long resident = resident(members) + otherBytes;
        if (resident <= limitBytes) {
            return new Used(resident, false);
        }
        var each = members.stream().mapToLong(held).toArray();
        long whole = LongStream.of(each).sum() + otherBytes;
        if (whole <= limitBytes) {
            return new Used(whole, false);
        }
        long inDoubt = Math.max(limitBytes, LongStream.of(each).max().orElse(0) + otherBytes);
        if (!time.isLeftForWalks()) {
            return new Used(inDoubt, cutBefore);
        }
        try (var part = time.ofWalk()) {
            var walked = exact(members, part);
            long bytes = walked.bytes() + otherBytes;
            boolean doubtful = walked.cut() && !cutBefore;
            return new Used(doubtful ? Math.min(bytes, inDoubt) : bytes, walked.cut());
        }
    }

    /**
     * In bytes, as exactly as there is time for: the rest counts in full. Asked of one tree after
     * the other, of those with fewer processes first, that leave time to those with more.
     */
    long compared(List<ProcessEntry> members, long otherBytes) {
        try (var part = time.ofComparison()) {
            return exact(members, part).bytes() + otherBytes;
        }
    }

    /** What the process table says of it: programs and libraries count for each that maps them. */
    static long resident(List<ProcessEntry> members) {
        long pages = 0;
        for (var member : members) {
            pages += member.stat().residentPages();
        }
        return pages * PageSize.bytes();
    }

    private Used exact(List<ProcessEntry> members, LookTime.Part part) {
        long sum = 0;
        boolean cut = false;
        for (var member : members) {
            cut |= !part.isLeft();
            sum += (cut ? held : proportional).applyAsLong(member);
        }
        return new Used(sum, cut);
    }
}
