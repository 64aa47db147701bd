package dev.perigee.worker.process;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Resource limits of one server's process tree, and the decision whether they are exceeded. Pure. A
 * limit of zero does not exist.
 *
 * @param memoryBytes anonymous and shared memory of all its processes
 * @param processes processes and threads at the same time
 * @param cpuTime of one process in its whole life
 * @param totalCpuTime of all its processes together, of ended ones too
 * @param diskBytes of all files in its home
 * @param diskFiles files and directories in its home
 * @param ioBytes read from and written to disks by all its processes within {@link
 *     DiskTraffic#WINDOW}
 */
public record TreeLimits(
        long memoryBytes,
        int processes,
        Duration cpuTime,
        Duration totalCpuTime,
        long diskBytes,
        long diskFiles,
        long ioBytes) {

    private static final long MIB = 1 << 20;

    /** Nothing is limited. */
    public static final TreeLimits NONE =
            new TreeLimits(0, 0, Duration.ZERO, Duration.ZERO, 0, 0, 0);

    /** The same for a home that may hold anything. */
    public TreeLimits withoutDisk() {
        return new TreeLimits(memoryBytes, processes, cpuTime, totalCpuTime, 0, 0, ioBytes);
    }

    /** Null where the memory is within the limit. */
    @Nullable LimitEnd memory(long usedBytes) {
        return exceeds(usedBytes, memoryBytes)
                ? new LimitEnd(
                        Limit.OOM,
                        "its processes used %s of memory, the limit is %s"
                                .formatted(mebibytes(usedBytes), mebibytes(memoryBytes)))
                : null;
    }

    /** The kernel ended processes of this server for want of memory. */
    LimitEnd outOfMemory() {
        return new LimitEnd(
                Limit.OOM,
                memoryBytes == 0
                        ? "the system had no memory left"
                        : "its processes needed more memory than there was, the limit is "
                                + mebibytes(memoryBytes));
    }

    /** All servers of the worker used too much memory together. */
    static LimitEnd sharedMemory(SharedUse.Excess<?> excess, long limitBytes) {
        return new LimitEnd(
                Limit.OOM,
                "it used the most memory, %s, of its user's servers, which used %s while all servers of this worker used %s of %s"
                        .formatted(
                                mebibytes(excess.used()),
                                mebibytes(excess.tenantUsed()),
                                mebibytes(excess.allUsed()),
                                mebibytes(limitBytes)));
    }

    /** All servers of the worker had too many processes together. */
    static LimitEnd sharedProcesses(SharedUse.Excess<?> excess, int limit) {
        return new LimitEnd(
                Limit.PIDS,
                "it had the most processes and threads, %d, of its user's servers, which had %d while all servers of this worker had %d of %d"
                        .formatted(excess.used(), excess.tenantUsed(), excess.allUsed(), limit));
    }

    /** All servers of the worker left too little free of their file system. */
    static LimitEnd sharedDisk(SharedUse.Excess<?> excess, long freeBytes, long reserveBytes) {
        return new LimitEnd(
                Limit.DISK,
                "it had the most files, %s, of its user's servers, which had %s while %s were free on the disk of all servers of this worker, and %s are to stay free"
                        .formatted(
                                mebibytes(excess.used()),
                                mebibytes(excess.tenantUsed()),
                                mebibytes(freeBytes),
                                mebibytes(reserveBytes)));
    }

    /** Why nothing is started while too little of the file system is free. */
    static String diskReserve(long freeBytes, long reserveBytes) {
        return "Not started, %s are free on the disk of all servers of this worker, and %s are to stay free: have an operator remove files below worker.cache-directory, give it a larger disk, or lower isolation.disk-reserve"
                .formatted(mebibytes(freeBytes), mebibytes(reserveBytes));
    }

    /** All servers of the worker left too few files to be made on their file system. */
    static LimitEnd sharedFiles(SharedUse.Excess<?> excess, long free, long reserve) {
        return new LimitEnd(
                Limit.DISK,
                "it had the most files and directories, %d, of its user's servers, which had %d while %d more could be made on the disk of all servers of this worker, and %d are to stay free"
                        .formatted(excess.used(), excess.tenantUsed(), free, reserve));
    }

    /** Why nothing is started while too few files can be made on the file system. */
    static String fileReserve(long free, long reserve) {
        return "Not started, %d more files can be made on the disk of all servers of this worker (inodes), and %d are to stay free: have an operator remove files below worker.cache-directory, or give it a file system with more inodes; isolation.disk-reserve=0 leaves none free"
                .formatted(free, reserve);
    }

    /**
     * Null while fewer live: with so many the system refuses further ones, where it can count them.
     */
    @Nullable LimitEnd processes(int count) {
        return processes > 0 && count >= processes
                ? new LimitEnd(
                        Limit.PIDS,
                        "it had %d processes and threads, the limit is %d"
                                .formatted(count, processes))
                : null;
    }

    /** Null while all together used less processor time. */
    @Nullable LimitEnd totalCpu(Duration used) {
        return totalCpuTime.isPositive() && used.compareTo(totalCpuTime) >= 0
                ? new LimitEnd(
                        Limit.CPU,
                        "its processes used %d s of CPU time together, the limit is %d s"
                                .formatted(used.toSeconds(), totalCpuTime.toSeconds()))
                : null;
    }

    /**
     * The kernel kills a process that used up its time, and says nothing. It charges whole ticks
     * for that: on processors that are shared a process is killed when it had as little as seven
     * tenths of its time, so two thirds count as all of it.
     *
     * @param possible the most that one process can have used when the server was killed
     * @return null where that is less than two thirds of the limit
     */
    @Nullable LimitEnd cpu(Duration possible) {
        return cpuTime.isPositive()
                        && possible.multipliedBy(3).compareTo(cpuTime.multipliedBy(2)) >= 0
                ? new LimitEnd(
                        Limit.CPU,
                        "it used the %d s of CPU time that one process may use"
                                .formatted(cpuTime.toSeconds()))
                : null;
    }

    /**
     * Null where it is within the limit.
     *
     * @param bytes read from and written to disks in the window that is under way
     */
    @Nullable LimitEnd io(long bytes) {
        return exceeds(bytes, ioBytes)
                ? new LimitEnd(
                        Limit.IO,
                        "its processes read from and wrote to disks %s within %d s, the limit is %s"
                                .formatted(
                                        mebibytes(bytes),
                                        DiskTraffic.WINDOW.toSeconds(),
                                        mebibytes(ioBytes)))
                : null;
    }

    /** Null where the home is within both limits. */
    @Nullable LimitEnd disk(HomeSize home) {
        if (home.tooDeep()) {
            return new LimitEnd(
                    Limit.DISK,
                    "its files are in directories that are nested too deep or closed to the worker,"
                            + " and cannot be counted");
        }
        if (exceeds(home.bytes(), diskBytes)) {
            return new LimitEnd(
                    Limit.DISK,
                    "its files take %s%s, the limit is %s"
                            .formatted(
                                    home.complete() ? "" : "more than ",
                                    mebibytes(home.bytes()),
                                    mebibytes(diskBytes)));
        }
        return exceeds(home.files(), diskFiles)
                ? new LimitEnd(
                        Limit.DISK,
                        "it has more files and directories than the limit, " + diskFiles)
                : null;
    }

    /** Files that were removed may be among those that were not looked at. */
    static LimitEnd uncountable() {
        return new LimitEnd(
                Limit.DISK,
                "it has more files open or mapped than are looked at for what removed ones take");
    }

    /** Whether a home has to be looked at. */
    boolean limitsDisk() {
        return diskBytes > 0 || diskFiles > 0;
    }

    private static boolean exceeds(long used, long limit) {
        return limit > 0 && used > limit;
    }

    private static String mebibytes(long bytes) {
        return Math.ceilDiv(bytes, MIB) + " MiB";
    }
}
