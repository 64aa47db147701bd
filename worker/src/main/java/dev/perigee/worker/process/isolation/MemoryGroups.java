package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Control groups, one per jail, that limit the memory of all that is inside: anonymous, of files
 * that are read and written, and of the jail's own file systems. A group is there before its jail
 * and is removed when nothing of it lives. Any thread.
 */
final class MemoryGroups {
    private static final Logger log = LoggerFactory.getLogger(MemoryGroups.class);

    /** Worker ids do not contain it. */
    private static final char SEPARATOR = ':';

    private static final String PREFIX = "perigee";

    /** Before a number, in v2 as in v1 since Linux 4.13. */
    private static final String KILLS = "oom_kill ";

    private final MemoryPlace.Found place;
    private final long limitBytes;
    private final String workerPrefix;
    private final String ownPrefix;
    private final AtomicLong numbers = new AtomicLong();

    /** Groups whose last process was still being buried; at most one per jail that ended so. */
    private final Queue<Path> leftOver = new ConcurrentLinkedQueue<>();

    MemoryGroups(MemoryPlace.Found place, long limitBytes, String workerId, String incarnation) {
        this.place = place;
        this.limitBytes = limitBytes;
        this.workerPrefix = PREFIX + SEPARATOR + workerId + SEPARATOR;
        this.ownPrefix = workerPrefix + incarnation + SEPARATOR;
    }

    /** A new group with the limit set. */
    Path create() {
        removeLeftOver();
        var group = place.parent().resolve(ownPrefix + numbers.incrementAndGet());
        try {
            Files.createDirectory(group);
            if (place.unified()) {
                write(group.resolve("memory.max"), limitBytes);
                tryWrite(group.resolve("memory.swap.max"), 0);
                tryWrite(group.resolve("memory.oom.group"), 1);
            } else {
                write(group.resolve("memory.limit_in_bytes"), limitBytes);
                tryWrite(group.resolve("memory.memsw.limit_in_bytes"), limitBytes);
            }
            return group;
        } catch (IOException e) {
            remove(group);
            throw new UncheckedIOException("The memory of a jail cannot be limited by " + group, e);
        }
    }

    private static void write(Path file, long value) throws IOException {
        Files.writeString(file, Long.toString(value), StandardOpenOption.WRITE);
    }

    /** Where the host has no accounting of swap, or an old kernel. */
    private static void tryWrite(Path file, long value) {
        try {
            write(file, value);
        } catch (IOException e) {
            log.atDebug()
                    .addKeyValue("file", file)
                    .setCause(e)
                    .log("Control group file not written");
        }
    }

    /** Whether the kernel killed something in it because it was full. */
    boolean killedIn(Path group) {
        var file = group.resolve(place.unified() ? "memory.events" : "memory.oom_control");
        try {
            return Files.readAllLines(file).stream()
                    .anyMatch(line -> line.startsWith(KILLS) && !line.equals(KILLS + "0"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Nothing in it lives any more. */
    void remove(Path group) {
        try {
            Files.deleteIfExists(group);
        } catch (IOException e) {
            leftOver.add(group);
        }
    }

    private void removeLeftOver() {
        for (var count = leftOver.size(); count > 0; count--) {
            var group = leftOver.poll();
            if (group != null) {
                remove(group);
            }
        }
    }

    /** Removes what earlier incarnations of this worker left; their processes are dead. */
    void sweep() {
        removeAll(workerPrefix);
    }

    void close() {
        removeAll(ownPrefix);
    }

    private void removeAll(String prefix) {
        var names = place.parent().toFile().list((_, name) -> name.startsWith(prefix));
        for (var name : names == null ? new String[0] : names) {
            try {
                Files.deleteIfExists(place.parent().resolve(name));
            } catch (IOException e) {
                log.atWarn()
                        .addKeyValue("group", name)
                        .setCause(e)
                        .log("Failed to remove a control group");
            }
        }
    }
}
