package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The size of a page of memory on this system, in which {@code /proc} counts; from the auxiliary
 * vector that the kernel gives to every process (getauxval(3), on 64 bits).
 */
final class PageSize {
    private static final long AT_PAGESZ = 6;
    private static final long USUAL = 4096;
    private static final long BYTES = read(Path.of("/proc/self/auxv"));

    private PageSize() {}

    /** In bytes. */
    static long bytes() {
        return BYTES;
    }

    static long read(Path auxiliary) {
        try {
            var words =
                    ByteBuffer.wrap(Files.readAllBytes(auxiliary)).order(ByteOrder.nativeOrder());
            while (words.remaining() >= 2 * Long.BYTES) {
                long type = words.getLong();
                long value = words.getLong();
                if (type == AT_PAGESZ) {
                    return value;
                }
            }
        } catch (IOException e) {
            return USUAL;
        }
        return USUAL;
    }
}
