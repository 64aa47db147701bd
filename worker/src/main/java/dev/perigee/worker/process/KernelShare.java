package dev.perigee.worker.process;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Kernel memory of one process, as last read. Stays while the process lives. For one thread. */
final class KernelShare {
    /** Mappings of one process that do not count. */
    private static final int FREE_MAPPINGS = 1024;

    /** What the kernel keeps of one. */
    private static final long MAPPING_BYTES = 256;

    /** Processor time after which a process's mappings are counted anew. */
    private static final int MAPPING_TICKS = ProcStat.TICKS_PER_SECOND / 50;

    /** Readings after which they are, whatever it used: in 20 ms it makes some thousands. */
    private static final int MAPPING_READINGS = 4;

    private final long startTime;
    private ProcStat stat;
    private long tableBytes;
    private int descriptors;
    private int mappings;

    /** Its processor time when its mappings were counted. */
    private long mappedAt;

    private int readingsSinceMapped;

    /** When its mappings were counted. */
    private boolean filesUnderWay;

    /** It ran since it was read, as was seen in that look first. */
    private boolean due = true;

    private long dueSince;

    /** Among the descriptors, as last seen; null where that was never so. */
    private long @Nullable [] pipes;

    /** In which look they were looked for; 0 for never. */
    private long lookedAt;

    private boolean outdated = true;

    /** The look in which it ran first since they were looked for. */
    private long outdatedSince;

    /** Of the network of the jail that it is the first of, and how many processes that had. */
    private JailSockets sockets = JailSockets.NONE;

    private int members;

    private KernelShare(ProcStat stat, long look) {
        this.startTime = stat.startTime();
        this.stat = stat;
        this.dueSince = look;
        this.outdatedSince = look;
    }

    /**
     * The same as before for the same process.
     *
     * @param look which one this is
     * @param again to be read though it has not run
     */
    static KernelShare of(ProcStat stat, @Nullable KernelShare last, long look, boolean again) {
        if (last == null || last.startTime != stat.startTime()) {
            return new KernelShare(stat, look);
        }
        if (!last.due && (again || last.stat.ownTicks() != stat.ownTicks())) {
            last.due = true;
            last.dueSince = look;
        }
        last.stat = stat;
        return last;
    }

    boolean isDue() {
        return due;
    }

    long dueSince() {
        return dueSince;
    }

    /**
     * Reads all but its pipes.
     *
     * @param left whether there is time to count more mappings, and look at more descriptors
     */
    void read(BooleanSupplier left) {
        var kept = ProcMemory.kept(stat.pid());
        tableBytes = kept.tableBytes();
        descriptors = OpenPipes.descriptors(stat.pid(), kept.descriptors());
        readingsSinceMapped++;
        if (stat.ownTicks() - mappedAt >= MAPPING_TICKS
                || readingsSinceMapped == MAPPING_READINGS) {
            mappedAt = stat.ownTicks();
            readingsSinceMapped = 0;
            mappings = Mappings.count(stat.pid(), left);
            filesUnderWay = FilesUnderWay.mayBeTo(stat.pid(), left);
        }
        due = false;
        outdatedSince = outdated ? outdatedSince : dueSince;
        outdated = true;
    }

    long tableBytes() {
        return tableBytes;
    }

    int descriptors() {
        return descriptors;
    }

    int mappings() {
        return mappings;
    }

    long mappingBytes() {
        return Math.max(0, mappings - FREE_MAPPINGS) * MAPPING_BYTES;
    }

    /** Whether descriptors may wait in its sockets that no process has open. */
    boolean hasFilesUnderWay() {
        return filesUnderWay;
    }

    boolean isOutdated() {
        return outdated;
    }

    long outdatedSince() {
        return outdatedSince;
    }

    void lookForPipes(long look) {
        pipes = OpenPipes.of(stat.pid(), descriptors);
        lookedAt = look;
        outdated = false;
    }

    void isNotLookedAt(long look) {
        pipes = null;
        lookedAt = look;
        outdated = false;
    }

    long @Nullable [] pipes() {
        return pipes;
    }

    int members() {
        return members;
    }

    JailSockets sockets() {
        return sockets;
    }

    void sockets(JailSockets counted, int ofMembers) {
        sockets = counted;
        members = ofMembers;
    }

    /** Such a one, closed to the worker or too large to look at, may have any. */
    boolean isClosed() {
        return lookedAt > 0 && pipes == null;
    }
}
