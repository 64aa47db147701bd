package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory of one process as {@code /proc/pid/status} tells it (proc_pid_status(5)). What counts
 * is anonymous memory: heaps and stacks, which only the process's end gives back. Programs and
 * libraries are mapped from files, one copy for all who run them, and twenty Node processes would
 * seem to fill five times what they do.
 */
final class ProcMemory {
    private static final String ANONYMOUS = "RssAnon:";
    private static final String RESIDENT = "VmRSS:";

    private ProcMemory() {}

    /** In bytes, 0 when there is no such process. */
    static long read(long pid) {
        try {
            return parse(
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), "status"),
                            StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return 0;
        }
    }

    /** All resident memory where the kernel (before 4.5, or gVisor) does not tell them apart. */
    static long parse(String status) {
        long resident = 0;
        for (var line : status.split("\n")) {
            if (line.startsWith(ANONYMOUS)) {
                return bytes(line, ANONYMOUS);
            }
            if (line.startsWith(RESIDENT)) {
                resident = bytes(line, RESIDENT);
            }
        }
        return resident;
    }

    private static long bytes(String line, String name) {
        return Long.parseLong(line.substring(name.length()).strip().split(" ")[0]) * 1024;
    }
}
