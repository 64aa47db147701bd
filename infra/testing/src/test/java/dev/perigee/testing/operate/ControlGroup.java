package dev.perigee.testing.operate;

import dev.perigee.faults.Skipped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A control group with a limit on its memory, below that of this process, as a service manager
 * makes one and gives it to a worker: of v2 with all controllers where this machine has them there,
 * else of v1.
 *
 * @param path of the group
 * @param unified whether it is of v2
 */
record ControlGroup(Path path, boolean unified) implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final String VARIABLE = "GROUPS_REQUIRED";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Makes one, or skips the test that runs, with one line. */
    static ControlGroup ofMemory(long bytes) throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
            var parts = line.split(":", 3);
            boolean unified = parts[1].isEmpty();
            var parent = (unified ? ROOT : ROOT.resolve(parts[1])).resolve(parts[2].substring(1));
            boolean usable =
                    unified
                            // Only the root of all may have processes and groups with controllers.
                            ? ROOT.equals(parent) && controllers(parent).contains("memory")
                            : parts[1].equals("memory");
            if (usable && Files.isWritable(parent)) {
                return make(parent.resolve("perigee-test-" + UUID.randomUUID()), unified, bytes);
            }
        }
        Skipped.because("needs a control group for memory that this user may divide", VARIABLE);
        throw new IllegalStateException();
    }

    private static List<String> controllers(Path group) throws IOException {
        var file = group.resolve("cgroup.controllers");
        return Files.exists(file) ? List.of(Files.readString(file).strip().split(" ")) : List.of();
    }

    private static ControlGroup make(Path path, boolean unified, long bytes) throws IOException {
        if (unified) {
            for (var controller : List.of("memory", "cpu", "io", "pids")) {
                write(path.resolveSibling("cgroup.subtree_control"), "+" + controller);
            }
        }
        Files.createDirectory(path);
        write(path.resolve(unified ? "memory.max" : "memory.limit_in_bytes"), "" + bytes);
        return new ControlGroup(path, unified);
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.WRITE);
    }

    /**
     * Skips the test that runs where it is of v1, in which the memory's group counts memory only.
     */
    void requireUnified() {
        if (!unified) {
            Skipped.because("needs control groups of v2 with all controllers", VARIABLE);
        }
    }

    /** Words before a command that runs it in the group. */
    List<String> entry() {
        return List.of(
                "/bin/sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                path.resolve("cgroup.procs").toString());
    }

    /** The kernel needs a moment after the last process has ended. */
    @Override
    public void close() throws IOException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!removed() && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        Files.deleteIfExists(path);
    }

    private boolean removed() {
        try (var files = Files.walk(path)) {
            for (var group : files.filter(Files::isDirectory).toList().reversed()) {
                Files.delete(group);
            }
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }
}
