package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Subordinate ids of the worker's user, see subuid(5): with them a user who is not root starts a
 * worker as root of a user namespace, in which it has ids to give. A program of several threads
 * cannot enter one itself. Reads the host's files.
 *
 * @param user by name
 * @param number of that user
 * @param system {@code /etc}
 * @param programs where programs are
 * @param process the worker's {@code /proc/PID}
 */
record SubordinateIds(String user, int number, Path system, List<Path> programs, Path process) {
    /** What a worker is started by, before its own command. */
    static final String COMMAND = "unshare --user --map-root-user --map-auto";

    /** So many from zero on include what a container with users of its own gives to servers. */
    private static final int MAPPED = 60_000;

    /** As {@code SUB_UID_MIN} and {@code SUB_UID_COUNT} of login.defs. */
    private static final long LOWEST = 100_000;

    private static final long COUNT = 65_536;

    SubordinateIds {
        programs = List.copyOf(programs);
    }

    /** Those of the user that this program runs as. */
    static SubordinateIds here() {
        return new SubordinateIds(
                System.getProperty("user.name"),
                FileOwner.own(),
                Path.of("/etc"),
                Stream.of(JailPrograms.SYSTEM_PATH.split(":")).map(Path::of).toList(),
                Path.of("/proc/self"));
    }

    /** The commands by which this user's workers have ids to give, as part of a sentence. */
    String advice() {
        if (isConfined()) {
            return "run it as root of a container with users of its own";
        }
        var steps = new ArrayList<String>();
        if (programs.stream().map(at -> at.resolve("newuidmap")).noneMatch(Files::exists)) {
            steps.add("apt-get install uidmap");
        }
        var entries = Stream.concat(entries("subuid"), entries("subgid")).toList();
        var users = entries("subuid").anyMatch(this::isEnough);
        var groups = entries("subgid").anyMatch(this::isEnough);
        if (!users || !groups) {
            long first = entries.stream().mapToLong(Entry::end).reduce(LOWEST, Math::max);
            var range = first + "-" + (first + COUNT - 1);
            steps.add(
                    "usermod%s%s %s"
                            .formatted(
                                    users ? "" : " --add-subuids " + range,
                                    groups ? "" : " --add-subgids " + range,
                                    user));
        }
        var start = "start it by scripts/perigee worker or by " + COMMAND;
        return steps.isEmpty()
                ? start
                : "%s as root, and %s".formatted(String.join(" && ", steps), start);
    }

    /** One line of the files. */
    private record Entry(String user, long first, long count) {
        long end() {
            return first + count;
        }
    }

    private boolean isEnough(Entry entry) {
        return List.of(user, Integer.toString(number)).contains(entry.user())
                && entry.count() >= MAPPED;
    }

    private Stream<Entry> entries(String file) {
        try {
            return Files.readAllLines(system.resolve(file)).stream()
                    .map(line -> line.split(":"))
                    .filter(fields -> fields.length == 3)
                    .filter(fields -> (fields[1] + fields[2]).matches("[0-9]{1,18}"))
                    .map(it -> new Entry(it[0], Long.parseLong(it[1]), Long.parseLong(it[2])));
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /** Whether it may run no program that has more rights than itself, such as newuidmap. */
    private boolean isConfined() {
        try (var lines = Files.lines(process.resolve("status"))) {
            return lines.anyMatch(line -> line.matches("NoNewPrivs:\\s*1"));
        } catch (IOException e) {
            return false;
        }
    }
}
