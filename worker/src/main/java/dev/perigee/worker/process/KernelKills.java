package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Count of the processes that the kernel has killed for want of memory, on the whole system; in a
 * container, those of other containers too.
 */
final class KernelKills {
    private static final Path EVENTS = Path.of("/proc/vmstat");
    private static final String KILLS = "oom_kill ";

    private KernelKills() {}

    /** 0 where the system does not count them. */
    static long count() {
        try {
            return parse(Files.readString(EVENTS, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return 0;
        }
    }

    static long parse(String events) {
        return events.lines()
                .filter(line -> line.startsWith(KILLS))
                .mapToLong(line -> Long.parseLong(line.substring(KILLS.length()).strip()))
                .findFirst()
                .orElse(0);
    }
}
