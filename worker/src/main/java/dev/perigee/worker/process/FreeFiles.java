package dev.perigee.worker.process;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Inodes of a file system, of which many kinds have a fixed number: without a free one nobody can
 * make a file, however many bytes are free. Any thread may ask.
 */
final class FreeFiles {
    private final ReentrantLock lock = new ReentrantLock();
    private final NativeCalls calls = new NativeCalls();

    /** Null where this system is not asked, since it has no such call. */
    static @Nullable FreeFiles ofSystem() {
        return "Linux".equals(System.getProperty("os.name")) ? new FreeFiles() : null;
    }

    /** Those of the file system that a path is in; 0 where it has no fixed number. */
    long total(String path) {
        var use = use(path);
        return use == null ? 0 : use.files() + use.freeFiles();
    }

    /** {@link Long#MAX_VALUE} where it has no fixed number. */
    long free(String path) {
        var use = use(path);
        return use == null || use.files() + use.freeFiles() <= 0 ? Long.MAX_VALUE : use.freeFiles();
    }

    private NativeCalls.@Nullable FileSystemUse use(String path) {
        lock.lock();
        try {
            return calls.fileSystem(path);
        } finally {
            lock.unlock();
        }
    }
}
