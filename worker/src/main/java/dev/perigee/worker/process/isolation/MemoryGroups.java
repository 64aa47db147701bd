package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.TreeLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Control groups, one per jail, that limit the memory of all that is inside: anonymous, of files
 * that are read and written, and of the jail's own file systems. In v2, where the worker was given
 * those controllers, they also limit its processes, count its reads and writes, and have it give
 * way to the worker where processors and disks are busy. A group is there before its jail and is
 * removed when nothing of it lives. Any thread.
 */
final class MemoryGroups {
    private static final Logger log = LoggerFactory.getLogger(MemoryGroups.class);

    /** Worker ids do not contain it. */
    private static final char SEPARATOR = ':';

    private static final String PREFIX = "perigee";
    private static final String IO = "io";

    /** Before a number, in v2 as in v1 since Linux 4.13. */
    private static final String KILLS = "oom_kill ";

    /** That of the worker's own group is 100. */
    private static final int WEIGHT = 10;

    private final MemoryPlace.Found place;
    private final TreeLimits limits;
    private final String workerPrefix;
    private final String ownPrefix;
    private final AtomicLong numbers = new AtomicLong();

    /** Groups whose last process was still being buried; at most one per jail that ended so. */
    private final Queue<Path> leftOver = new ConcurrentLinkedQueue<>();

    MemoryGroups(MemoryPlace.Found place, TreeLimits limits, String workerId, String incarnation) {
        this.place = place;
        this.limits = limits;
        this.workerPrefix = PREFIX + SEPARATOR + workerId + SEPARATOR;
        this.ownPrefix = workerPrefix + incarnation + SEPARATOR;
    }

    /** Whether the kernel refuses a jail more processes than it may have, whoever runs it. */
    boolean limitProcesses() {
        return place.has("pids");
    }

    /** A new group with its limits set. */
    Path create() {
        removeLeftOver();
        var group = place.parent().resolve(ownPrefix + numbers.incrementAndGet());
        try {
            Files.createDirectory(group);
            if (place.unified()) {
                write(group.resolve("memory.max"), limits.memoryBytes());
                tryWrite(group.resolve("memory.swap.max"), 0);
                tryWrite(group.resolve("memory.oom.group"), 1);
                limitOthers(group);
            } else {
                write(group.resolve("memory.limit_in_bytes"), limits.memoryBytes());
                tryWrite(group.resolve("memory.memsw.limit_in_bytes"), limits.memoryBytes());
            }
            return group;
        } catch (IOException e) {
            remove(group);
            throw new UncheckedIOException("The memory of a jail cannot be limited by " + group, e);
        }
    }

    private void limitOthers(Path group) throws IOException {
        if (limitProcesses()) {
            write(group.resolve("pids.max"), limits.processes());
        }
        if (place.has("cpu")) {
            tryWrite(group.resolve("cpu.weight"), WEIGHT);
        }
        if (place.has(IO)) {
            // Which of them there is depends on how the kernel schedules the disk.
            tryWrite(group.resolve("io.weight"), WEIGHT);
            tryWrite(group.resolve("io.bfq.weight"), WEIGHT);
        }
    }

    private static void write(Path file, long value) throws IOException {
        Files.writeString(file, Long.toString(value), StandardOpenOption.WRITE);
    }

    /** Where the kernel may not have the file. */
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

    /** Processor time that was spent in it; -1 where that is not counted, or it is gone. */
    long cpuNanos(Path group) {
        if (!place.unified()) {
            return -1; // In v1 another controller counts it, in another hierarchy.
        }
        long micros = sum(group.resolve("cpu.stat"), "usage_usec");
        return micros < 0 ? -1 : TimeUnit.MICROSECONDS.toNanos(micros);
    }

    /** Bytes of anonymous memory and of files that are nowhere else; -1 where it is gone. */
    long memoryBytes(Path group) {
        return sum(group.resolve("memory.stat"), place.unified() ? "anon" : "rss", "shmem");
    }

    /** Of the numbers behind these names, one a line; -1 where the file has none of them. */
    private static long sum(Path file, String... names) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split(" "))
                    .filter(words -> words.length == 2 && List.of(names).contains(words[0]))
                    .mapToLong(words -> Long.parseLong(words[1]))
                    .reduce(Long::sum)
                    .orElse(-1);
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    /**
     * Bytes that it has read from and written to disks; 0 where that is not counted. Of several
     * disks that with the most: one may be made of others, which then count the same again.
     */
    long diskTraffic(Path group) {
        if (!place.has(IO)) {
            return 0;
        }
        try {
            return Files.readAllLines(group.resolve("io.stat")).stream()
                    .mapToLong(MemoryGroups::ofDisk)
                    .max()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Of a line such as {@code 8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0}. */
    private static long ofDisk(String line) {
        return Stream.of(line.split(" "))
                .filter(word -> word.startsWith("rbytes=") || word.startsWith("wbytes="))
                .mapToLong(word -> Long.parseLong(word.substring(word.indexOf('=') + 1)))
                .sum();
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
