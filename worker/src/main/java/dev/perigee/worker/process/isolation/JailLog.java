package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Log of a jail's own program about one launch, apart from the output of the program inside: a file
 * that may never be made. It names paths of the host, so it is for operators only. Beside it is the
 * configuration of that launch, where there is one; both go together.
 *
 * @param file on the host
 */
record JailLog(Path file) {
    private static final int LONGEST = 4096;
    private static final String SUFFIX = ".log";
    private static final String CONFIGURATION = ".config";

    /** nsjail's marks of errors and of those that end it, at the beginning of a line. */
    private static final Pattern ERROR = Pattern.compile("(?m)^\\[[EF]]");

    /** A log for one launch. */
    static JailLog in(Path directory) {
        return new JailLog(directory.resolve(UUID.randomUUID() + SUFFIX));
    }

    /**
     * The same with its file, for a jail that writes as another user than the worker.
     *
     * @throws UncheckedIOException when it cannot be made
     */
    JailLog create() {
        try {
            Files.createFile(file);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the jail's own program finds its configuration. */
    Path configuration() {
        return file.resolveSibling(file.getFileName() + CONFIGURATION);
    }

    /**
     * Writes the configuration, for whatever user the jail has.
     *
     * @throws UncheckedIOException when it cannot be written
     */
    void configure(String text) {
        try {
            SyscallFiles.write(configuration(), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what an earlier run of the worker left. */
    static void sweep(Path directory) {
        var names =
                directory
                        .toFile()
                        .list((_, name) -> name.endsWith(SUFFIX) || name.contains(SUFFIX + "."));
        for (var name : names == null ? new String[0] : names) {
            remove(directory.resolve(name));
        }
    }

    /** Whether a text from a log says that something failed. */
    static boolean tellsFailure(String text) {
        return ERROR.matcher(text).find();
    }

    /** The beginning of what was written, and removes it; empty when nothing was. Never throws. */
    String take() {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(LONGEST), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        } finally {
            remove(file);
            remove(configuration());
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // Swept at the worker's next start.
        }
    }
}
