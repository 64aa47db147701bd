package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The pipes among the descriptors of one process, those that have a name in a directory too. */
final class OpenPipes {
    private static final int TYPE = 0170000;
    private static final int FIFO = 0010000;

    /** Devices are few and small numbers, and so far apart. */
    private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

    private static final long NONE = 0;

    /** May be opened between counting and looking. */
    private static final int MORE = 64;

    private OpenPipes() {}

    /**
     * How many descriptors a process has open, which the kernel (since 6.2) says also of one that
     * is closed to the worker; 0 when there is no such process.
     *
     * @param most that it may have, where the kernel does not say
     */
    static int descriptors(long pid, int most) {
        try {
            long open = Files.size(directory(pid));
            return open > 0 ? (int) Math.min(open, Integer.MAX_VALUE) : most;
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * One number for each pipe, the same whoever has it open, in no order. Null where the process
     * does not let the worker see them, or has many more descriptors.
     *
     * @param descriptors that it had
     */
    static long @Nullable [] of(long pid, int descriptors) {
        int most = descriptors + MORE;
        var pipes = LongStream.builder();
        int seen = 0;
        try (var links = Files.newDirectoryStream(directory(pid))) {
            for (var link : links) {
                long pipe = ++seen > most ? NONE : pipe(link);
                if (pipe != NONE) {
                    pipes.add(pipe);
                }
            }
            return seen > most ? null : pipes.build().distinct().toArray();
        } catch (IOException | DirectoryIteratorException e) {
            return ProcStat.read(pid) == null ? new long[0] : null;
        }
    }

    /** None of anything else, or of one that was closed meanwhile. The link opens nothing. */
    private static long pipe(Path link) {
        try {
            var file = Files.readAttributes(link, "unix:mode,dev,ino");
            return file.get("mode") instanceof Integer mode
                            && (mode & TYPE) == FIFO
                            && file.get("dev") instanceof Long device
                            && file.get("ino") instanceof Long inode
                    ? device * SPREAD + inode
                    : NONE;
        } catch (IOException e) {
            return NONE;
        }
    }

    private static Path directory(long pid) {
        return Path.of("/proc", Long.toString(pid), "fd");
    }
}
