package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rights of the worker over users of its host or container, from {@code /proc/PID}.
 *
 * @param user its own number
 * @param users which numbers there are
 * @param groups which numbers of groups there are
 * @param capabilities a bit for each that it has
 */
record HostRights(int user, List<Extent> users, List<Extent> groups, long capabilities) {
    /** Numbers one after the other. */
    record Extent(long first, long count) {
        boolean has(IdRange range) {
            return first <= range.first() && range.last() < first + count;
        }
    }

    /** By bit, those that giving homes and programs to others takes, and looking after them. */
    private static final Map<Integer, String> NEEDED =
            new TreeMap<>(
                    Map.of(
                            0, "CAP_CHOWN",
                            1, "CAP_DAC_OVERRIDE",
                            5, "CAP_KILL",
                            6, "CAP_SETGID",
                            7, "CAP_SETUID",
                            19, "CAP_SYS_PTRACE"));

    private static final String CAPABILITIES = "CapEff:";

    HostRights {
        users = List.copyOf(users);
        groups = List.copyOf(groups);
    }

    /** Those of the process that a directory of {@code /proc} is of. */
    static HostRights of(Path process) {
        try {
            var capabilities =
                    Files.readAllLines(process.resolve("status")).stream()
                            .filter(line -> line.startsWith(CAPABILITIES))
                            .map(line -> line.substring(CAPABILITIES.length()).strip())
                            .mapToLong(hex -> Long.parseUnsignedLong(hex, 16))
                            .findAny()
                            .orElse(0);
            return new HostRights(
                    FileOwner.own(),
                    extents(Files.readAllLines(process.resolve("uid_map"))),
                    extents(Files.readAllLines(process.resolve("gid_map"))),
                    capabilities);
        } catch (IOException e) {
            throw new UncheckedIOException("The worker's own rights are not readable", e);
        }
    }

    /** The numbers of a map as user_namespaces(7) describes it, which are its first column. */
    static List<Extent> extents(List<String> map) {
        var extents = new ArrayList<Extent>();
        for (var line : map) {
            var fields = line.strip().split("\\s+");
            extents.add(new Extent(Long.parseLong(fields[0]), Long.parseLong(fields[2])));
        }
        return extents;
    }

    boolean isRoot() {
        return user == 0;
    }

    /** Capabilities that it would need to run programs as others, and does not have. */
    List<String> missing() {
        return NEEDED.entrySet().stream()
                .filter(needed -> ((capabilities >>> needed.getKey()) & 1) == 0)
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Whether there are users and groups of all these numbers. */
    boolean has(IdRange range) {
        return users.stream().anyMatch(extent -> extent.has(range))
                && groups.stream().anyMatch(extent -> extent.has(range));
    }
}
