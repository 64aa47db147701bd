package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file or directory among those that jailed programs can replace at any moment, by links to what
 * they must not have read or by pipes that nobody writes to. It is held without being opened, so
 * that what was looked at and what is used are the same.
 *
 * <p>Where there is no {@code /proc}, and so no jail, it is just its path.
 */
public final class HeldPath implements AutoCloseable {
    private static final Path FILES = Path.of("/proc/self/fd");
    private static final int NONE = -1;

    private final Path path;
    private final int file;

    private HeldPath(Path path, int file) {
        this.path = path;
        this.file = file;
    }

    /**
     * What is at this place; links are followed.
     *
     * @param path which jailed programs cannot change
     * @throws IOException when nothing is there
     */
    public static HeldPath of(Path path) throws IOException {
        if (!Files.isDirectory(FILES)) {
            return new HeldPath(path.toRealPath(), NONE);
        }
        int file = new NativeCalls().hold(path.toAbsolutePath().toString());
        if (file < 0) {
            throw new NoSuchFileException(path.toString(), null, "error " + -file);
        }
        return new HeldPath(FILES.resolve(Integer.toString(file)), file);
    }

    /**
     * What is at this place below; links are followed as long as they lead to something below.
     *
     * @throws IOException when nothing is there, or something elsewhere
     */
    public HeldPath below(Path relative) throws IOException {
        var found = of(path.resolve(relative));
        if (!found.real().startsWith(real())) {
            found.close();
            throw new NoSuchFileException(relative.toString(), null, "leads elsewhere");
        }
        return found;
    }

    /** Leads to what is held, whatever has taken its place. Valid until this is closed. */
    public Path path() {
        return path;
    }

    /** Where it is now, without any links. */
    public Path real() throws IOException {
        return file == NONE ? path : Files.readSymbolicLink(path);
    }

    @Override
    public void close() {
        if (file != NONE) {
            new NativeCalls().close(file);
        }
    }
}
