package dev.perigee.bench.boundary;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The memory of processes, in which what several share counts for each by its share. */
final class ProportionalMemory {
    private static final String SHARE = "Pss:";
    private static final long KIBIBYTE = 1024;

    private ProportionalMemory() {}

    /** Of all below a process, without itself; null where this user may not read it. */
    static @Nullable Long bytesBelow(long pid) {
        var processes = ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants).toList();
        return bytes(processes.stream().map(ProcessHandle::pid).toList());
    }

    private static @Nullable Long bytes(List<Long> pids) {
        long sum = 0;
        for (var pid : pids) {
            var file = Path.of("/proc", Long.toString(pid), "smaps_rollup");
            try (var lines = Files.lines(file)) {
                sum +=
                        lines.filter(line -> line.startsWith(SHARE))
                                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                                .sum();
            } catch (NoSuchFileException e) {
                // It has ended.
            } catch (IOException e) {
                return null;
            }
        }
        return sum * KIBIBYTE;
    }
}
