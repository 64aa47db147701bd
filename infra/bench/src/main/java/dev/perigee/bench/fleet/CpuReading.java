package dev.perigee.bench.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The CPU time of processes so far, of each of their threads, to the nanosecond: what Linux'
 * scheduler counts. Elsewhere, of each process as a whole, to ten milliseconds.
 *
 * @param nanos by thread or process
 */
public record CpuReading(Map<String, Long> nanos) {
    public CpuReading {
        nanos = Map.copyOf(nanos);
    }

    /** Of these processes, now. */
    public static CpuReading of(Collection<Long> pids) {
        var nanos = new HashMap<String, Long>();
        pids.forEach(pid -> add(nanos, pid));
        return new CpuReading(nanos);
    }

    private static void add(Map<String, Long> nanos, long pid) {
        var tasks = Path.of("/proc", Long.toString(pid), "task");
        if (!Files.isDirectory(tasks)) {
            ProcessHandle.of(pid)
                    .flatMap(process -> process.info().totalCpuDuration())
                    .ifPresent(time -> nanos.put(Long.toString(pid), time.toNanos()));
            return;
        }
        try (var threads = Files.newDirectoryStream(tasks)) {
            for (var thread : threads) {
                try {
                    var line = Files.readString(thread.resolve("schedstat"));
                    nanos.put(
                            thread.toString(),
                            Long.parseLong(line.substring(0, line.indexOf(' '))));
                } catch (NoSuchFileException e) {
                    // The thread has ended.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What was spent since an earlier reading, but by threads that have ended since. */
    public long nanosSince(CpuReading earlier) {
        return nanos.entrySet().stream()
                .mapToLong(each -> each.getValue() - earlier.nanos.getOrDefault(each.getKey(), 0L))
                .sum();
    }
}
