package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Owner of a file of the host, by number. */
final class FileOwner {
    private static final Path SELF = Path.of("/proc/self");

    private FileOwner() {}

    /** A link's own. */
    static int of(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /** The worker's. */
    static int own() {
        try {
            return (Integer) Files.getAttribute(SELF, "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException("The worker's own user is not readable", e);
        }
    }
}
