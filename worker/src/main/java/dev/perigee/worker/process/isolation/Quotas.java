package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Quotas of one jail on what the kernel counts per user. Each jail has a user namespace around it,
 * whose limits these are; of what servers share with the worker's user, a part that leaves as much
 * for others.
 *
 * @param hostInotify how many instances of inotify the host lets a user have
 * @param hostWatches how many of their watches
 */
record Quotas(long hostInotify, long hostWatches) {
    private static final Path SYSTEM = Path.of("/proc/sys/fs/inotify");

    /** As many servers do not come together on one worker. */
    static final int MANY = 256;

    /** What a host should have for them. */
    static final int ENOUGH = 16_384;

    private static final int PART = 8;
    private static final long MOST_INOTIFY = 64;
    private static final long MOST_WATCHES = 65_536;

    /** More than a jail makes of each kind; what is in it can make none. */
    private static final int NAMESPACES = 8;

    /** What each process may lock in memory, and may lock of shared memory with all others. */
    private static final int LOCKED_BYTES = 65_536;

    /** Signals that wait, and timers. */
    private static final int SIGNALS = 1024;

    /** Those of this host. */
    static Quotas here() {
        return new Quotas(read("max_user_instances", 128), read("max_user_watches", 8192));
    }

    private static long read(String name, long otherwise) {
        try {
            return Long.parseLong(Files.readString(SYSTEM.resolve(name)).strip());
        } catch (IOException | NumberFormatException e) {
            return otherwise;
        }
    }

    /** As many servers use up what one user of the host has of inotify. */
    long servers() {
        return hostInotify / inotify();
    }

    private long inotify() {
        return Math.clamp(hostInotify / PART, 1, MOST_INOTIFY);
    }

    /** As {@code jail-entry.pl} takes them. */
    List<String> words() {
        var words = new ArrayList<String>();
        words.add("limit=max_inotify_instances=" + inotify());
        words.add("limit=max_inotify_watches=" + Math.clamp(hostWatches / PART, 1, MOST_WATCHES));
        words.add("limit=max_fanotify_groups=0");
        words.add("limit=max_fanotify_marks=0");
        for (var kind : List.of("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")) {
            words.add("limit=max_" + kind + "_namespaces=" + NAMESPACES);
        }
        words.add("rlimit=8=" + LOCKED_BYTES);
        words.add("rlimit=11=" + SIGNALS);
        // Message queues, which no program may make.
        words.add("rlimit=12=0");
        return words;
    }
}
