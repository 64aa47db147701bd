package dev.perigee.worker.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The mappings of one process. The kernel keeps a description of each, also of those in which no
 * page is, and says nowhere how many there are but by listing them.
 */
final class Mappings {
    /** What the kernel lets a process have, unless its operator changed it. */
    static final int MOST = 65_530;

    /** With more than these a process counts as one that has the most, which takes long to read. */
    private static final int MANY = 8192;

    /** So many are read in any case. */
    private static final int FEW = 2048;

    /**
     * As many count for a process that is closed to the worker, 1 MiB beyond what is free: usual
     * programs close themselves too, and have some hundreds.
     */
    static final int CLOSED = 5120;

    private static final int PIECE = 1 << 16;

    private Mappings() {}

    /**
     * How many there are, {@link #MOST} where there are many or reading them takes too long, {@link
     * #CLOSED} where the process is closed to the worker; 0 when there is no such process or it has
     * ended. Takes up to 10 ms.
     *
     * @param left whether there is time to read on
     */
    static int count(long pid, BooleanSupplier left) {
        try (var maps = Files.newInputStream(Path.of("/proc", Long.toString(pid), "maps"))) {
            return lines(maps, left);
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            return unread(ProcStat.read(pid));
        }
    }

    /**
     * @param stat of a process whose mappings cannot be read: an ended one that nobody waited for
     *     has none
     */
    static int unread(@Nullable ProcStat stat) {
        return stat == null || !stat.alive() ? 0 : CLOSED;
    }

    static int lines(InputStream text, BooleanSupplier left) throws IOException {
        var piece = new byte[PIECE];
        int lines = 0;
        for (int length = text.read(piece); length > 0; length = text.read(piece)) {
            for (int at = 0; at < length; at++) {
                lines += piece[at] == '\n' ? 1 : 0;
            }
            if (lines > MANY || (lines > FEW && !left.getAsBoolean())) {
                return MOST;
            }
        }
        return lines;
    }
}
