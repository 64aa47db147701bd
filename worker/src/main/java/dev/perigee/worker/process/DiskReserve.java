package dev.perigee.worker.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserve of the file system that has the homes of all servers, and their packages: below it no
 * jail is started. Thread-safe; each question is one system call, which takes microseconds.
 *
 * @param freeBytes what is free now
 * @param bytes what is to stay free; 0 for nothing
 * @param freeFiles inodes that are free now
 * @param files inodes that are to stay free; 0 for none
 */
public record DiskReserve(LongSupplier freeBytes, long bytes, LongSupplier freeFiles, long files) {
    /** Nothing has to stay free. */
    public static final DiskReserve NONE =
            new DiskReserve(() -> Long.MAX_VALUE, 0, () -> Long.MAX_VALUE, 0);

    private static final long USUAL_BYTES = 1L << 30;
    private static final long USUAL_FILES = 100_000;
    private static final int USUAL_PART = 20;

    /**
     * Of the file system that a directory is or will be in: of its inodes, where it has a fixed
     * number, a twentieth, {@value #USUAL_FILES} at most.
     *
     * @param configured null for a twentieth of its bytes, {@value #USUAL_BYTES} at most; 0 for
     *     nothing, inodes neither
     */
    public static DiskReserve of(Path directory, @Nullable Long configured) {
        long bytes =
                configured == null
                        ? usual(existing(directory).toFile().getTotalSpace())
                        : configured;
        var files = FreeFiles.ofSystem();
        if (bytes == 0 || files == null) {
            return bytes == 0
                    ? NONE
                    : new DiskReserve(() -> free(directory), bytes, NONE.freeFiles, 0);
        }
        return new DiskReserve(
                () -> free(directory),
                bytes,
                () -> files.free(existing(directory).toString()),
                usualFiles(files.total(existing(directory).toString())));
    }

    static long usualFiles(long total) {
        return Math.min(USUAL_FILES, total / USUAL_PART);
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
        return refusal() == null;
    }

    /** Why nothing is started while too little is free; null when enough is. */
    @Nullable String refusal() {
        long freeNow = bytes == 0 ? Long.MAX_VALUE : freeBytes.getAsLong();
        if (freeNow < bytes) {
            return TreeLimits.diskReserve(freeNow, bytes);
        }
        long filesNow = files == 0 ? Long.MAX_VALUE : freeFiles.getAsLong();
        return filesNow < files ? TreeLimits.fileReserve(filesNow, files) : null;
    }
}
