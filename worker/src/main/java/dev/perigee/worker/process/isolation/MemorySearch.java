package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the worker's own control group and whether groups with memory limits can be made below
 * it: cgroup v2 where it was delegated, else v1 where its memory controller can be written to.
 *
 * <p>In v2 a group that hands controllers on may hold no processes itself, so the worker and what
 * shares its group move one down. Those of processors, disks and processes are handed on, too,
 * where the group has them.
 *
 * <p>The formats are those of cgroups(7) and proc(5).
 */
final class MemorySearch {
    private static final String MEMORY = "memory";
    private static final List<String> WANTED = List.of(MEMORY, "cpu", "io", "pids");
    private static final String OWN = "perigee-worker";
    private static final String SERVICE = ".service";

    /** For a worker that is no service of systemd. */
    private static final String AS_SERVICE =
            "run the worker as a systemd service with Delegate=yes, such as by systemd-run"
                    + " --property=Delegate=yes --uid=$(id -un) perigee worker";

    private static final int MOVES = 10;

    private final Path proc;

    /**
     * A search.
     *
     * @param proc where the worker's own view of itself is, {@code /proc/self}
     */
    MemorySearch(Path proc) {
        this.proc = proc;
    }

    MemoryPlace search() {
        try {
            var memberships = Files.readAllLines(proc.resolve("cgroup"));
            var mounts =
                    Files.readAllLines(proc.resolve("mountinfo")).stream()
                            .map(Mount::parse)
                            .toList();
            var unified = group(memberships, mounts, true);
            var place = unified == null ? null : inUnified(unified);
            if (place instanceof MemoryPlace.Found) {
                return place;
            }
            var old = group(memberships, mounts, false);
            if (old != null) {
                return inOld(old);
            }
            return place == null ? new MemoryPlace.Missing("no control groups are mounted") : place;
        } catch (IOException e) {
            return new MemoryPlace.Missing(
                    "the worker's control group is unknown: " + e.getMessage());
        }
    }

    /** The worker's own group of v2, or of the hierarchy of v1 that has the memory controller. */
    private static @Nullable Path group(
            List<String> memberships, List<Mount> mounts, boolean unified) {
        for (var mount : mounts) {
            if (!(unified ? mount.isUnified() : mount.has(MEMORY))) {
                continue;
            }
            for (var line : memberships) {
                var parts = line.split(":", 3);
                var controllers = Arrays.asList(parts[1].split(","));
                if (unified ? parts[1].isEmpty() : controllers.contains(MEMORY)) {
                    return mount.locate(parts[2]);
                }
            }
        }
        return null;
    }

    private static MemoryPlace inOld(Path group) {
        return Files.isWritable(group) && Files.isWritable(group.resolve("cgroup.procs"))
                ? new MemoryPlace.Found(group, false, Set.of(MEMORY))
                : missing("the control group %s cannot be written to".formatted(group), group);
    }

    private static MemoryPlace inUnified(Path group) {
        try {
            var wanted = new ArrayList<>(WANTED);
            wanted.retainAll(words(group.resolve("cgroup.controllers")));
            if (!wanted.contains(MEMORY)) {
                return missing(
                        "the control group %s has no memory controller".formatted(group), group);
            }
            if (!isWritable(group)) {
                return missing(
                        "the control group %s is not delegated to this user".formatted(group),
                        group);
            }
            return new MemoryPlace.Found(group, true, handOn(group, wanted));
        } catch (IOException e) {
            return missing(
                    "the control group %s does not hand its memory controller on (%s)"
                            .formatted(group, e.getMessage()),
                    group);
        }
    }

    private static boolean isWritable(Path group) {
        return Files.isWritable(group)
                && Files.isWritable(group.resolve("cgroup.procs"))
                && Files.isWritable(group.resolve("cgroup.subtree_control"));
    }

    /** Those that are handed on then: all that are wanted, or where one cannot be, memory. */
    private static Set<String> handOn(Path group, List<String> wanted) throws IOException {
        var control = group.resolve("cgroup.subtree_control");
        var already = words(control);
        if (already.containsAll(wanted)) {
            return Set.copyOf(wanted);
        }
        // The root of all has no type, and may keep its processes.
        if (!already.contains(MEMORY) && Files.exists(group.resolve("cgroup.type"))) {
            moveDown(group);
        }
        try {
            write(control, "+" + String.join(" +", wanted));
            return Set.copyOf(wanted);
        } catch (IOException e) {
            write(control, "+" + MEMORY);
            return Set.copyOf(words(control));
        }
    }

    private static void moveDown(Path group) throws IOException {
        var own = group.resolve(OWN);
        Files.createDirectories(own);
        var members = group.resolve("cgroup.procs");
        for (var move = 0; move < MOVES; move++) {
            var pids = words(members);
            if (pids.isEmpty()) {
                return;
            }
            for (var pid : pids) {
                write(own.resolve("cgroup.procs"), pid);
            }
        }
    }

    private static MemoryPlace.Missing missing(String why, Path group) {
        var name = String.valueOf(group.getFileName());
        return new MemoryPlace.Missing(
                why + ": " + (name.endsWith(SERVICE) ? delegation(name) : AS_SERVICE));
    }

    /** The commands that delegate a service its group. */
    private static String delegation(String service) {
        var directory = "/etc/systemd/system/" + service + ".d";
        return "mkdir -p %s && printf '[Service]\\nDelegate=yes\\n' > %s/delegate.conf"
                        .formatted(directory, directory)
                + " && systemctl daemon-reload && systemctl restart "
                + service;
    }

    private static List<String> words(Path file) throws IOException {
        var text = Files.readString(file).strip();
        return text.isEmpty() ? List.of() : Arrays.asList(text.split("\\s+"));
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.WRITE);
    }

    /** One line of mountinfo; of what is mounted, the part that is seen at the mount point. */
    private record Mount(String root, Path point, String type, List<String> options) {

        static Mount parse(String line) {
            var halves = line.split(" - ", 2);
            var place = halves[0].split(" ");
            var kind = halves[1].split(" ");
            return new Mount(
                    place[3],
                    Path.of(place[4]),
                    kind[0],
                    kind.length > 2 ? Arrays.asList(kind[2].split(",")) : List.of());
        }

        boolean isUnified() {
            return type.equals("cgroup2");
        }

        boolean has(String controller) {
            return type.equals("cgroup") && options.contains(controller);
        }

        /** Where a group of this hierarchy is, {@code /a/b} as memberships name it. */
        Path locate(String group) {
            var below =
                    !root.equals("/") && group.startsWith(root)
                            ? group.substring(root.length())
                            : group;
            return point.resolve(below.replaceFirst("^/+", "")).normalize();
        }
    }
}
