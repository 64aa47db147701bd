package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures the files that a jail keeps in memory, which no process needs to have mapped: those of
 * its file systems of tmpfs, seen through its first process, which cannot close itself to the
 * worker as a program could. Also an empty file takes memory. Where the kernel does not let the
 * worker look, they do not count. For one thread.
 */
final class MemoryFiles {
    /** Where a jail has such file systems; {@code /app} only some have. */
    private static final List<String> PLACES = List.of("tmp", "dev/shm", "app");

    private static final long TMPFS = 0x0102_1994;

    /** What the kernel takes for a file beside its blocks: inode and name. */
    private static final long FILE_BYTES = 1024;

    private @Nullable NativeCalls calls;

    /** In bytes, of a tree's jail; 0 without one. */
    long bytes(List<ProcessEntry> members) {
        var first = ProcessTree.firstOfJail(members);
        return first != null && hasItsOwn(first.pid()) ? in(first.pid()) : 0;
    }

    /** A jail that is being made still shows the files of this system. */
    private static boolean hasItsOwn(long pid) {
        try {
            var its = Files.getAttribute(root(pid), "unix:dev");
            return !its.equals(Files.getAttribute(Path.of("/"), "unix:dev"));
        } catch (IOException e) {
            return false;
        }
    }

    private static Path root(long pid) {
        return Path.of("/proc", Long.toString(pid), "root");
    }

    private long in(long pid) {
        if (calls == null) {
            calls = new NativeCalls();
        }
        long sum = 0;
        for (var place : PLACES) {
            var use = calls.fileSystem(root(pid) + "/" + place);
            if (use != null && use.type() == TMPFS) {
                sum += use.bytes() + use.files() * FILE_BYTES;
            }
        }
        return sum;
    }
}
