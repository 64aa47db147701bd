package dev.perigee.worker.process;

/**
 * Decides when a server is ended because little disk is free: when that was found twice, and again
 * each time that it has become less by a part of the reserve. What was ended keeps its files, so
 * the disk stays as full as it is; ending one after the other would not empty it. Pure; for one
 * thread.
 */
final class DiskPressure {
    private static final int PARTS = 16;

    private final long reserveBytes;
    private long endedAtBytes = Long.MAX_VALUE;
    private boolean noticed;

    DiskPressure(long reserveBytes) {
        this.reserveBytes = reserveBytes;
    }

    /** Whether somebody fills the disk who was not ended for it. */
    boolean isUrgent(long freeBytes) {
        return freeBytes < reserveBytes
                && (endedAtBytes == Long.MAX_VALUE
                        || freeBytes < endedAtBytes - reserveBytes / PARTS);
    }

    /** Whether who has so much can have filled the disk. */
    boolean isMuch(long bytes) {
        return bytes >= reserveBytes / PARTS;
    }

    /** Whether one is ended now; asked once after each measurement. */
    boolean ends(long freeBytes) {
        if (freeBytes >= reserveBytes) {
            endedAtBytes = Long.MAX_VALUE;
        }
        if (!isUrgent(freeBytes)) {
            noticed = false;
            return false;
        }
        if (!noticed) {
            noticed = true;
            return false;
        }
        noticed = false;
        endedAtBytes = freeBytes;
        return true;
    }
}
