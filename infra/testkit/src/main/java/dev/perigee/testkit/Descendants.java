package dev.perigee.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Processes that ran below a part. A worker's watchdog is one of them: it kills what the worker has
 * started, also orphans that init has adopted, and ends.
 */
record Descendants(List<ProcessHandle> processes) {
    private static final Duration KILL = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /**
     * Returns when all have ended: by themselves, or killed when they have not in time.
     *
     * @throws IllegalStateException when some do not end
     */
    void awaitEnd(Duration patience) throws InterruptedException {
        if (!ended(patience)) {
            left().forEach(ProcessHandle::destroyForcibly);
            if (!ended(KILL)) {
                throw new IllegalStateException(
                        "Processes %s were killed and still run after %d s"
                                .formatted(
                                        left().stream().map(ProcessHandle::pid).toList(),
                                        KILL.toSeconds()));
            }
        }
    }

    private boolean ended(Duration patience) throws InterruptedException {
        var start = System.nanoTime();
        while (!left().isEmpty()) {
            if (System.nanoTime() - start >= patience.toNanos()) {
                return false;
            }
            Thread.sleep(PAUSE); // A process is notified of the end of its own children only.
        }
        return true;
    }

    private List<ProcessHandle> left() {
        return processes.stream().filter(Descendants::runs).toList();
    }

    /** A zombie that its parent has not reaped yet runs no more. */
    private static boolean runs(ProcessHandle process) {
        if (!process.isAlive()) {
            return false;
        }
        try {
            var file = Path.of("/proc", Long.toString(process.pid()), "stat");
            var stat = Files.readString(file, StandardCharsets.ISO_8859_1);
            // After the name, which may contain anything.
            return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
        } catch (IOException e) {
            return process.isAlive();
        }
    }
}
