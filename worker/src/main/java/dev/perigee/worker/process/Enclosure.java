package dev.perigee.worker.process;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A jail around one launched program. What is launched then is the jail, and the program runs below
 * it: SIGTERM is for what is inside, the jail's exit code above 128 stands for a signal, and the
 * death of the jail is the death of all that is inside.
 */
@FunctionalInterface
public interface Enclosure {

    /**
     * Gives back what was set up for this one launch. Called once, when nothing inside lives any
     * more or when nothing could be started; on any thread. Does not throw.
     */
    void release();

    /** What all that is inside may use together. */
    default TreeLimits limits() {
        return TreeLimits.NONE;
    }

    /** Whose it is, where all that is enclosed uses too much together. */
    default Tenant tenant() {
        return Tenant.WORKER;
    }

    /** The directory whose files count as what is inside has written; null where none does. */
    default @Nullable Path home() {
        return null;
    }

    /**
     * Whether the kernel killed something inside because this jail's control group was full. False
     * without a group. Reads one small file, on any thread, until {@link #release}.
     */
    default boolean ranOutOfMemory() {
        return false;
    }

    /**
     * Whether this jail has a control group, whose memory is exact and has all that the kernel
     * holds for what is inside.
     */
    default boolean hasGroup() {
        return false;
    }

    /**
     * Processor time in nanoseconds that all inside have spent, ended processes too, as this jail's
     * control group counts it. -1 where none does. Reads one small file, on any thread, until
     * {@link #release}.
     */
    default long cpuNanos() {
        return -1;
    }

    /**
     * Memory in bytes that all inside and the jail's file systems in memory take, without copies of
     * files, as this jail's control group counts it. -1 where none does. Reads one small file, on
     * any thread, until {@link #release}.
     */
    default long memoryBytes() {
        return -1;
    }

    /**
     * Bytes that all inside have read from and written to disks, as this jail's control group
     * counts them. 0 where none does. Reads one small file, on any thread, until {@link #release}.
     */
    default long diskTraffic() {
        return 0;
    }
}
