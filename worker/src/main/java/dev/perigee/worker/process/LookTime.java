package dev.perigee.worker.process;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time that one look spends on what is dear to read, so that no tree holds up the look at
 * another. Each tree has an even part of what is left: what one does not need is for those after
 * it, what one would need besides it gets in the next look. For one thread.
 */
final class LookTime {
    /** For what the kernel holds for processes, and as much again for pipes, all trees together. */
    private static final Duration KERNEL = Duration.ofMillis(500);

    /** Of that for one tree, however few there are. */
    private static final Duration KERNEL_OF_ONE = Duration.ofMillis(100);

    /** For what one process makes long to read, beyond which it counts as much. */
    private static final Duration READING = Duration.ofMillis(50);

    /** For walks of pages, all trees together, and as much again where all are compared. */
    private static final Duration WALKS = Duration.ofSeconds(1);

    /**
     * Of that for one tree. One that takes longer twice in a row is judged with the rest counted in
     * full: no server can keep this thread busy by sharing much among many.
     */
    private static final Duration WALK = Duration.ofMillis(100);

    private final LongSupplier nanos;
    private Pool kernel;
    private Pool pipes;
    private Pool walks;
    private Pool comparisons;

    LookTime(LongSupplier nanos) {
        this.nanos = nanos;
        kernel = new Pool(KERNEL, KERNEL_OF_ONE, 1);
        pipes = new Pool(KERNEL, KERNEL_OF_ONE, 1);
        walks = new Pool(WALKS, WALK, 1);
        comparisons = new Pool(WALKS, WALK, 1);
    }

    /**
     * Called before the trees of one look.
     *
     * @param trees how many ask what the kernel holds for them
     */
    void begin(int trees) {
        kernel = new Pool(KERNEL, KERNEL_OF_ONE, trees);
        pipes = new Pool(KERNEL, KERNEL_OF_ONE, trees);
        walks = new Pool(WALKS, WALK, 1);
    }

    /**
     * Called before all trees are compared.
     *
     * @param trees how many
     */
    void beginComparing(int trees) {
        comparisons = new Pool(WALKS, WALK, trees);
    }

    /** Of the processes of one tree. */
    Part ofKernel() {
        return kernel.part();
    }

    /** Of its pipes; taken also where there are none to look for. */
    Part ofPipes() {
        return pipes.part();
    }

    /** Of one reading. */
    Part ofReading() {
        return new Pool(READING, READING, 1).part();
    }

    /** Of one tree's walk. */
    Part ofWalk() {
        return walks.part();
    }

    /** Of one tree's walk where all are walked. */
    Part ofComparison() {
        return comparisons.part();
    }

    /** Whether there is time left for another tree's walk. */
    boolean isLeftForWalks() {
        return walks.leftNanos > 0;
    }

    /** Time for several trees, one after the other. */
    private final class Pool {
        private final long mostOfOne;
        private long leftNanos;
        private int trees;

        Pool(Duration all, Duration ofOne, int trees) {
            this.leftNanos = all.toNanos();
            this.mostOfOne = ofOne.toNanos();
            this.trees = trees;
        }

        Part part() {
            long nanosOfOne = Math.min(mostOfOne, leftNanos / Math.max(1, trees));
            trees--;
            return new Part(this, nanosOfOne);
        }
    }

    /** Time of one tree that begins now. Closing it gives back what was not used. */
    final class Part implements AutoCloseable {
        private final Pool pool;
        private final long began = nanos.getAsLong();
        private final long most;

        private Part(Pool pool, long most) {
            this.pool = pool;
            this.most = most;
        }

        boolean isLeft() {
            return nanos.getAsLong() - began < most;
        }

        @Override
        public void close() {
            pool.leftNanos = Math.max(0, pool.leftNanos - (nanos.getAsLong() - began));
        }
    }
}
