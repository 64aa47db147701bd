package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads all processes of this system, zombies left out. For one thread at a time.
 *
 * <p>The marks of what runs in a namespace of its own are not looked at: a jailed program can give
 * itself those of others, or make its environment tedious to read. It is found by its ancestry,
 * which it cannot leave before the jail itself, marked and outside, is dead and it with it.
 *
 * <p>A mark that was read is remembered while the process lives: of a known process a reading costs
 * one small file. So a process keeps its mark here also when it wipes its environment later.
 */
final class ProcessReader {

    private static final Path PROC = Path.of("/proc");

    /** So often it shows arguments and no environment: it has none. */
    private static final int ENOUGH = 8;

    private static final int EXEC_LOOKS = 500;
    private static final long EXEC_PAUSE_NANOS = 200_000;

    /** What a child shows before it executes its program, if anything. */
    private static final @Nullable String OWN_MARK = System.getenv(ProcessOwner.VARIABLE);

    private Map<Long, ProcessEntry> known = Map.of();

    /** What lives now. */
    List<ProcessEntry> read() {
        return Files.exists(PROC.resolve("self/stat")) ? fromProc() : fromHandles();
    }

    private List<ProcessEntry> fromProc() {
        var entries = new ArrayList<ProcessEntry>();
        var lasting = new HashMap<Long, ProcessEntry>();
        var own = namespace("self");
        var names = PROC.toFile().list((_, name) -> Character.isDigit(name.charAt(0)));
        for (var name : names == null ? new String[0] : names) {
            var stat = ProcStat.read(Long.parseLong(name));
            if (stat != null && stat.alive()) {
                var last = known.get(stat.pid());
                boolean same = last != null && last.stat().startTime() == stat.startTime();
                var entry = last != null && same ? last.with(stat) : entry(stat, own);
                entries.add(entry);
                if (same || entry.jailed() || isMarked(entry)) {
                    lasting.put(stat.pid(), entry);
                }
            }
        }
        known = lasting;
        return List.copyOf(entries);
    }

    private static boolean isMarked(ProcessEntry entry) {
        return entry.owner() != null && !entry.owner().equals(OWN_MARK);
    }

    private static ProcessEntry entry(ProcStat stat, @Nullable Path ownNamespace) {
        var its = namespace(Long.toString(stat.pid()));
        if (its != null && !its.equals(ownNamespace)) {
            return new ProcessEntry(stat, null, null, true);
        }
        if (its == null) {
            return new ProcessEntry(stat, null, watchdogElsewhere(stat), false);
        }
        var environment = environment(stat);
        return new ProcessEntry(
                stat,
                value(environment, ProcessOwner.VARIABLE),
                value(environment, WatchdogHelper.VARIABLE),
                false);
    }

    /**
     * What the watchdog of a worker of the same user in another user namespace guards, such as the
     * one before: it shows its arguments and not its environment. Null of others.
     */
    private static @Nullable String watchdogElsewhere(ProcStat stat) {
        var directory = PROC.resolve(Long.toString(stat.pid()));
        try {
            var own = Files.getAttribute(PROC.resolve("self"), "unix:uid");
            return Files.getAttribute(directory, "unix:uid").equals(own)
                            && outside(text(directory.resolve("status")))
                    ? WatchdogHelper.guarded(text(directory.resolve("cmdline")))
                    : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether a process has one number only, as one in no jail has. */
    static boolean outside(String status) {
        return status.lines().noneMatch(line -> line.matches("NSpid:\\s+\\d+\\s+\\d.*"));
    }

    /** Null when the process has ended, or is another user's. */
    private static @Nullable Path namespace(String process) {
        try {
            return Files.readSymbolicLink(PROC.resolve(process).resolve("ns/pid"));
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * While a process executes another program it shows neither environment nor arguments for a
     * moment, and what is being read of the old ones breaks off. Such a one is read again: unmarked
     * it would get away from who ends its tree.
     */
    private static String environment(ProcStat stat) {
        var directory = PROC.resolve(Long.toString(stat.pid()));
        try {
            var environment = text(directory.resolve("environ"));
            boolean running = stat.memoryBytes() > 0;
            int shown = 0;
            for (var look = 0;
                    !whole(environment) && running && shown < ENOUGH && look < EXEC_LOOKS;
                    look++) {
                if (text(directory.resolve("cmdline")).isEmpty()) {
                    shown = 0;
                    LockSupport.parkNanos(EXEC_PAUSE_NANOS);
                    var now = ProcStat.read(stat.pid());
                    running = now != null && now.memoryBytes() > 0;
                } else {
                    shown++;
                }
                environment = text(directory.resolve("environ"));
            }
            return environment;
        } catch (IOException e) {
            // Ended meanwhile, or another user's.
            return "";
        }
    }

    private static boolean whole(String environment) {
        return environment.endsWith("\0");
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    static @Nullable String value(String environment, String variable) {
        var assignment = variable + '=';
        for (var at = environment.indexOf(assignment);
                at >= 0;
                at = environment.indexOf(assignment, at + 1)) {
            if (at == 0 || environment.charAt(at - 1) == '\0') {
                var end = environment.indexOf('\0', at);
                return environment.substring(
                        at + assignment.length(), end < 0 ? environment.length() : end);
            }
        }
        return null;
    }

    /** Without {@code /proc} there are parents, but neither sessions nor environments. */
    private static List<ProcessEntry> fromHandles() {
        return ProcessHandle.allProcesses()
                .filter(ProcessHandle::isAlive)
                .map(
                        handle ->
                                new ProcStat(
                                        handle.pid(),
                                        'S',
                                        handle.parent().map(ProcessHandle::pid).orElse(0L),
                                        0,
                                        handle.info()
                                                .startInstant()
                                                .map(Instant::toEpochMilli)
                                                .orElse(0L),
                                        0,
                                        0,
                                        0,
                                        1,
                                        0))
                .map(stat -> new ProcessEntry(stat, null, null, false))
                .toList();
    }
}
