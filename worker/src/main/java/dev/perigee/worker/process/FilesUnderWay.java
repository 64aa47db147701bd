package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Descriptors that were sent over a Unix socket and not received. No process has them open, so
 * their pipes are seen nowhere; one of them may be a socket with more. The kernel lets a user have
 * no more than {@link #MOST}.
 */
final class FilesUnderWay {
    /** The limit of a jail's open files, and what one message more may carry. */
    static final int MOST = 1024 + 253;

    /** So many are looked at in any case: a pause of the worker says nothing of a process. */
    private static final int FEW = 256;

    private static final String SOCKET = "socket:";
    private static final String WAITING = "scm_fds:";

    private FilesUnderWay() {}

    /**
     * Whether some wait for a process, as the kernel (since 5.6) says of its sockets. Also where it
     * is closed to the worker, or where there is no time to look at all.
     *
     * @param left whether there is time to look at another descriptor
     */
    static boolean mayBeTo(long pid, BooleanSupplier left) {
        var process = Path.of("/proc", Long.toString(pid));
        try (var links = Files.newDirectoryStream(process.resolve("fd"))) {
            int looked = 0;
            for (var link : links) {
                boolean inTime = looked++ < FEW || left.getAsBoolean();
                if (!inTime || (isSocket(link) && waits(process, link))) {
                    return true;
                }
            }
            return false;
        } catch (IOException | DirectoryIteratorException e) {
            var stat = ProcStat.read(pid);
            return stat != null && stat.alive();
        }
    }

    /** Not one that was closed meanwhile. */
    private static boolean isSocket(Path link) {
        try {
            return Files.readSymbolicLink(link).toString().startsWith(SOCKET);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean waits(Path process, Path link) {
        try (var lines =
                Files.lines(
                        process.resolve("fdinfo").resolve(link.getFileName().toString()),
                        StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.startsWith(WAITING))
                    .anyMatch(line -> !line.substring(WAITING.length()).strip().equals("0"));
        } catch (IOException e) {
            return false;
        }
    }
}
