package dev.perigee.worker.process;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Measures the memory of a tree as exactly as a decision needs it, since the exact number is dear:
 * first by what is resident, which the process table has already; where that is above the limit, by
 * one small file for each process; where that is above it, too, by a walk of each one's pages,
 * which counts once what processes share. For one thread.
 *
 * @param held a process's own memory in bytes, what it shares in full
 * @param proportional the same, of what it shares its part
 */
record TreeMemory(
        ToLongFunction<ProcessEntry> held,
        ToLongFunction<ProcessEntry> proportional,
        LongSupplier nanos) {

    /**
     * How long the pages of one tree are walked. A tree that takes longer is judged with the rest
     * counted in full: no server can keep this thread busy by sharing much among many.
     */
    private static final Duration WALK = Duration.ofMillis(100);

    TreeMemory() {
        this(
                entry -> ProcMemory.held(entry.pid()),
                entry -> ProcMemory.proportional(entry.pid()),
                System::nanoTime);
    }

    /**
     * In bytes: at least what is used, and exact where more than the limit is.
     *
     * @param otherBytes of the tree's memory that is no process's, which counts besides
     */
    long used(List<ProcessEntry> members, long otherBytes, long limitBytes) {
        long resident = resident(members) + otherBytes;
        if (resident <= limitBytes) {
            return resident;
        }
        long whole = members.stream().mapToLong(held).sum() + otherBytes;
        return whole <= limitBytes ? whole : exact(members) + otherBytes;
    }

    /** What the process table says of it: programs and libraries count for each that maps them. */
    static long resident(List<ProcessEntry> members) {
        long pages = 0;
        for (var member : members) {
            pages += member.stat().residentPages();
        }
        return pages * PageSize.bytes();
    }

    private long exact(List<ProcessEntry> members) {
        long deadline = nanos.getAsLong() + WALK.toNanos();
        long sum = 0;
        for (var member : members) {
            boolean inTime = nanos.getAsLong() - deadline < 0;
            sum += (inTime ? proportional : held).applyAsLong(member);
        }
        return sum;
    }
}
