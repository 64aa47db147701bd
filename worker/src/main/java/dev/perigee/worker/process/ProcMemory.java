package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory of one process from {@code /proc/pid/status} (proc_pid_status(5)). What counts is
 * anonymous memory: heaps and stacks, which only the process's end gives back. Programs and
 * libraries are mapped from files, one copy for all who run them, and twenty Node processes would
 * seem to fill five times what they do.
 */
final class ProcMemory {
    private static final String ANONYMOUS = "RssAnon:";
    private static final String SHARED = "RssShmem:";
    private static final String RESIDENT = "VmRSS:";
    private static final String TABLES = "VmPTE:";
    private static final String ROOM = "FDSize:";

    private ProcMemory() {}

    /** In bytes, 0 when there is no such process. */
    static long read(long pid) {
        try {
            return parse(
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), "status"),
                            StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return 0;
        }
    }

    /** All resident memory where the kernel (before 4.5, or gVisor) does not distinguish them. */
    static long parse(String status) {
        long resident = 0;
        for (var line : status.split("\n")) {
            if (line.startsWith(ANONYMOUS)) {
                return bytes(line, ANONYMOUS);
            }
            if (line.startsWith(RESIDENT)) {
                resident = bytes(line, RESIDENT);
            }
        }
        return resident;
    }

    /**
     * What a process cannot give back to the system while it lives: its anonymous memory and what
     * it has mapped of shared memory; in bytes, 0 when there is no such process. What it shares
     * counts in full.
     */
    static long held(long pid) {
        return sum(pid, "status", ANONYMOUS, SHARED);
    }

    /**
     * The same, of what several processes share the process's part; costs a walk of its pages.
     * Where the kernel does not let it be read, what {@link #held} says.
     */
    static long proportional(long pid) {
        long part = sum(pid, "smaps_rollup", "Pss_Anon:", "Pss_Shmem:");
        return part > 0 ? part : held(pid);
    }

    /**
     * What the kernel keeps for a process besides.
     *
     * @param tableBytes tables of its pages
     * @param descriptors that there is room for now; there are no more open
     */
    record Kept(long tableBytes, int descriptors) {}

    /** All zero when there is no such process. */
    static Kept kept(long pid) {
        try {
            return parseKept(
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), "status"),
                            StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return new Kept(0, 0);
        }
    }

    static Kept parseKept(String status) {
        long tables = 0;
        int room = 0;
        for (var line : status.split("\n")) {
            if (line.startsWith(TABLES)) {
                tables = bytes(line, TABLES);
            } else if (line.startsWith(ROOM)) {
                room = Integer.parseInt(line.substring(ROOM.length()).strip());
            }
        }
        return new Kept(tables, room);
    }

    private static long sum(long pid, String file, String one, String other) {
        try {
            return sum(
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), file),
                            StandardCharsets.ISO_8859_1),
                    one,
                    other);
        } catch (IOException e) {
            return 0;
        }
    }

    static long sum(String text, String one, String other) {
        long sum = 0;
        for (var line : text.split("\n")) {
            if (line.startsWith(one)) {
                sum += bytes(line, one);
            } else if (line.startsWith(other)) {
                sum += bytes(line, other);
            }
        }
        return sum;
    }

    private static long bytes(String line, String name) {
        return Long.parseLong(line.substring(name.length()).strip().split(" ")[0]) * 1024;
    }
}
