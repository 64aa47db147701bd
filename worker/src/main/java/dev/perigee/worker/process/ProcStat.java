package dev.perigee.worker.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One process from {@code /proc/pid/stat} (proc_pid_stat(5)).
 *
 * @param pid process id
 * @param state one letter, {@code Z} for one that has ended and waits to be collected
 * @param parent the parent's process id
 * @param session the session's id
 * @param startTime ticks since boot
 * @param memoryBytes its address space; none has a thread of the kernel, or one that is ending
 * @param ownTicks processor time that it spent itself, {@value #TICKS_PER_SECOND} a second
 * @param reapedTicks processor time of its ended descendants that were waited for
 * @param threads how many it has
 * @param residentPages its resident memory, what it maps of files too; see {@link PageSize}
 */
record ProcStat(
        long pid,
        char state,
        long parent,
        long session,
        long startTime,
        long memoryBytes,
        long ownTicks,
        long reapedTicks,
        int threads,
        long residentPages) {

    /** Linux shows user space this many on every architecture (USER_HZ). */
    static final int TICKS_PER_SECOND = 100;

    private static final int OWN_TIME = 14;
    private static final int REAPED_TIME = 16;
    private static final int THREADS = 20;
    private static final int START_TIME = 22;
    private static final int MEMORY = 23;
    private static final int RESIDENT = 24;

    /** Null when there is no such process, or no {@code /proc}. */
    static @Nullable ProcStat read(long pid) {
        try {
            return parse(
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), "stat"),
                            StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return null;
        }
    }

    /** When the process started, 0 where not known. */
    static long startTime(long pid) {
        var stat = read(pid);
        return stat == null ? 0 : stat.startTime;
    }

    /** What the process calls itself, its program's name at first; empty when there is none. */
    static String program(long pid) {
        try {
            return Files.readString(
                    Path.of("/proc", Long.toString(pid), "comm"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Whether the process is the first one of a process namespace that is not this one's. */
    static boolean isFirstOfNamespace(long pid) {
        try (var lines =
                Files.lines(
                        Path.of("/proc", Long.toString(pid), "status"),
                        StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.startsWith("NSpid:") && line.endsWith("\t1"));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /** The program's name, in parentheses, may itself hold spaces and parentheses. */
    static ProcStat parse(String line) {
        var nameEnd = line.lastIndexOf(')');
        var pid = Long.parseLong(line.substring(0, line.indexOf(' ')));
        var fields = line.substring(nameEnd + 2).split(" ");
        return new ProcStat(
                pid,
                fields[0].charAt(0),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[START_TIME - 3]),
                Long.parseLong(fields[MEMORY - 3]),
                ticks(fields, OWN_TIME),
                ticks(fields, REAPED_TIME),
                Integer.parseInt(fields[THREADS - 3]),
                Long.parseLong(fields[RESIDENT - 3]));
    }

    /** User time and, next to it, system time. */
    private static long ticks(String[] fields, int at) {
        return Long.parseLong(fields[at - 3]) + Long.parseLong(fields[at - 2]);
    }

    boolean alive() {
        return state != 'Z' && state != 'X';
    }
}
