package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file system that is mounted somewhere below a path that programs in a jail see, and that they
 * see with it. What makes the path read-only may leave this one writable.
 *
 * @param host where it is mounted on the host
 * @param inside where programs see it
 */
record Submount(Path host, Path inside) {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int MOUNT_POINT = 4;
    private static final Pattern ESCAPED = Pattern.compile("\\\\([0-7]{3})");

    /** Where file systems are mounted now; empty where there is no {@code /proc}. */
    static List<Path> mountPoints() {
        try {
            return parse(Files.readString(TABLE, StandardCharsets.UTF_8));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The mount points of a table as proc_pid_mountinfo(5) describes it. Pure. */
    static List<Path> parse(String table) {
        return table.lines()
                .map(line -> line.split(" ", MOUNT_POINT + 2))
                .filter(fields -> fields.length > MOUNT_POINT)
                .map(fields -> Path.of(unescaped(fields[MOUNT_POINT])))
                .distinct()
                .toList();
    }

    private static String unescaped(String text) {
        return ESCAPED.matcher(text)
                .replaceAll(
                        match ->
                                Matcher.quoteReplacement(
                                        "" + (char) Integer.parseInt(match.group(1), 8)));
    }

    /**
     * Those below a visible path that this user reaches, outer ones first. What this user does not
     * reach programs do not reach either.
     */
    static List<Submount> below(Path visible, List<Path> mountPoints) {
        try {
            var real = visible.toRealPath();
            return mountPoints.stream()
                    .filter(point -> point.startsWith(real) && !point.equals(real))
                    .filter(Files::exists)
                    .map(point -> new Submount(point, visible.resolve(real.relativize(point))))
                    .sorted(Comparator.comparingInt(mount -> mount.inside().getNameCount()))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
