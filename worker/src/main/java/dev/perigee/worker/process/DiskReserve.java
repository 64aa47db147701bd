package dev.perigee.worker.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What stays free of the file system that has the homes of all servers, and their packages: below
 * it no jail is started. Any thread may ask; each question is one to the system, which takes
 * microseconds.
 *
 * @param freeBytes what is free now
 * @param bytes what is to stay free; 0 for nothing
 */
public record DiskReserve(LongSupplier freeBytes, long bytes) {
    /** Nothing has to stay free. */
    public static final DiskReserve NONE = new DiskReserve(() -> Long.MAX_VALUE, 0);

    private static final long USUAL_BYTES = 1L << 30;
    private static final int USUAL_PART = 20;

    /**
     * Of the file system that a directory is or will be in.
     *
     * @param configured null for a twentieth of it, {@value #USUAL_BYTES} bytes at most
     */
    public static DiskReserve of(Path directory, @Nullable Long configured) {
        long bytes =
                configured == null
                        ? usual(existing(directory).toFile().getTotalSpace())
                        : configured;
        return bytes == 0 ? NONE : new DiskReserve(() -> free(directory), bytes);
    }

    static long usual(long totalBytes) {
        return Math.min(USUAL_BYTES, totalBytes / USUAL_PART);
    }

    /** Where nothing can be known nothing is refused. */
    private static long free(Path directory) {
        var there = existing(directory).toFile();
        return there.getTotalSpace() == 0 ? Long.MAX_VALUE : there.getUsableSpace();
    }

    private static Path existing(Path directory) {
        var there = directory.toAbsolutePath();
        for (var above = there.getParent();
                above != null && !Files.exists(there);
                above = there.getParent()) {
            there = above;
        }
        return there;
    }

    /** Whether so much is free. */
    public boolean isKept() {
        return bytes == 0 || freeBytes.getAsLong() >= bytes;
    }
}
