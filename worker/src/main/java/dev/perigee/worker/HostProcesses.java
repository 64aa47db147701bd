package dev.perigee.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Limit on the processes and threads that the worker and all that it starts can have together: the
 * least of what the kernel has numbers and room for, and of the limits of the control groups (v1 or
 * v2) that the worker is in.
 *
 * @param root where {@code proc} and {@code sys} are
 */
record HostProcesses(Path root) {
    static final long UNKNOWN = Long.MAX_VALUE;

    private static final String LIMIT = "pids.max";

    /** {@link #UNKNOWN} where this system does not tell. */
    long most() {
        var kernel =
                Stream.of("threads-max", "pid_max")
                        .map(name -> root.resolve("proc/sys/kernel").resolve(name));
        return LongStream.concat(
                        kernel.mapToLong(HostProcesses::read),
                        memberships().mapToLong(this::ofGroup))
                .min()
                .orElse(UNKNOWN);
    }

    private Stream<String> memberships() {
        try {
            return Files.readAllLines(root.resolve("proc/self/cgroup")).stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /** By a line such as {@code 8:pids:/a/b}: the least of the group and of those above it. */
    private long ofGroup(String membership) {
        var parts = membership.split(":", 3);
        var groups = root.resolve("sys/fs/cgroup");
        var top = parts[1].isEmpty() ? groups : groups.resolve(parts[1]);
        long least = UNKNOWN;
        for (var at = top.resolve(parts[2].replaceFirst("^/+", "")).normalize();
                at != null && at.startsWith(top);
                at = at.getParent()) {
            least = Math.min(least, read(at.resolve(LIMIT)));
        }
        return least;
    }

    /** At once: what the kernel tells below {@code /proc/sys} ends after the first read. */
    private static long read(Path file) {
        try (var reader = Files.newBufferedReader(file)) {
            return Long.parseLong(String.valueOf(reader.readLine()).strip());
        } catch (IOException | NumberFormatException e) {
            // Not there, or "max".
            return UNKNOWN;
        }
    }
}
