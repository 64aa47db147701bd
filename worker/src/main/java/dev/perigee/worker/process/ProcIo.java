package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Bytes that one process has read from and written to disks, from {@code /proc/pid/io}
 * (proc_pid_io(5)), with those of descendants that it has waited for. What comes out of memory does
 * not count, nor do file systems in memory; what is written counts when memory takes it.
 */
final class ProcIo {
    private static final String READ = "read_bytes:";
    private static final String WRITTEN = "write_bytes:";

    private ProcIo() {}

    /** 0 when there is no such process, or this user may not see it. */
    static long bytes(long pid) {
        try {
            return parse(
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), "io"),
                            StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return 0;
        }
    }

    static long parse(String text) {
        long sum = 0;
        for (var line : text.split("\n")) {
            if (line.startsWith(READ)) {
                sum += Long.parseLong(line.substring(READ.length()).strip());
            } else if (line.startsWith(WRITTEN)) {
                sum += Long.parseLong(line.substring(WRITTEN.length()).strip());
            }
        }
        return sum;
    }
}
