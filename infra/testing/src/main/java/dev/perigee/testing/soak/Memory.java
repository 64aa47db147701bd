package dev.perigee.testing.soak;

import dev.perigee.testing.fleet.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Looks once a second at how much of the machine's memory each part has, and keeps the most. */
final class Memory implements AutoCloseable {
    private static final String RESIDENT = "VmRSS:";

    private final Supplier<Map<String, Part>> parts;
    private final Map<String, Long> most = new TreeMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("memory").unstarted(this::watch);

    private Memory(Supplier<Map<String, Part>> parts) {
        this.parts = parts;
    }

    static Memory watching(Supplier<Map<String, Part>> parts) {
        var memory = new Memory(parts);
        memory.thread.start();
        return memory;
    }

    /** By part, the most resident memory that was seen, in MiB. */
    synchronized Map<String, Long> most() {
        return Map.copyOf(most);
    }

    private void watch() {
        try {
            while (!closed.await(1, TimeUnit.SECONDS)) {
                parts.get().forEach((name, part) -> keep(name, resident(part.pid())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void keep(String name, long mebibytes) {
        most.merge(name, mebibytes, Math::max);
    }

    /** 0 for a process that has ended. */
    private static long resident(long pid) {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            return lines.filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
