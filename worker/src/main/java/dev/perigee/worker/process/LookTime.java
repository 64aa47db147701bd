package dev.perigee.worker.process;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The time that one look spends on what is dear to read, so that no tree holds up the look at
 * another. It is shared out among all trees evenly: what one leaves is nobody's, what one would
 * need besides it gets in the next look. For one thread.
 */
final class LookTime {
    /** For what the kernel holds for processes, and as much again for pipes, all trees together. */
    private static final Duration KERNEL = Duration.ofMillis(500);

    /** Of that for one tree, however few there are. */
    private static final Duration KERNEL_OF_ONE = Duration.ofMillis(100);

    /** For what one process makes long to read, beyond which it counts as much. */
    private static final Duration READING = Duration.ofMillis(50);

    /** For walks of pages, all trees together. */
    private static final Duration WALKS = Duration.ofSeconds(1);

    private final LongSupplier nanos;
    private long kernelNanos = KERNEL_OF_ONE.toNanos();
    private long walksEnd;

    LookTime(LongSupplier nanos) {
        this.nanos = nanos;
        begin(1);
    }

    /**
     * Called before the trees of one look.
     *
     * @param trees how many, at least 1
     */
    void begin(int trees) {
        kernelNanos = Math.min(KERNEL_OF_ONE.toNanos(), KERNEL.toNanos() / trees);
        walksEnd = nanos.getAsLong() + WALKS.toNanos();
    }

    /** Whether there is time left of a tree's part, of which this begins now. */
    BooleanSupplier ofKernel() {
        return during(kernelNanos);
    }

    /** Whether there is time left of one reading that begins now. */
    BooleanSupplier ofReading() {
        return during(READING.toNanos());
    }

    /** Whether there is time left of one walk, which takes no longer than this from now on. */
    BooleanSupplier ofWalk(Duration most) {
        return during(most.toNanos());
    }

    /**
     * Time for one tree's walk where all are walked.
     *
     * @param most of it
     * @param trees how many, at least 1
     */
    static Duration ofOne(Duration most, int trees) {
        var part = WALKS.dividedBy(trees);
        return part.compareTo(most) < 0 ? part : most;
    }

    /** Whether there is time left for another tree's walk. */
    boolean isLeftForWalks() {
        return nanos.getAsLong() - walksEnd < 0;
    }

    private BooleanSupplier during(long most) {
        long end = nanos.getAsLong() + most;
        return () -> nanos.getAsLong() - end < 0;
    }
}
