package dev.perigee.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds files of the source tree that tests run from, whatever module's directory the test was
 * started in.
 */
public final class Checkout {

    private static final Path MARKER = Path.of("infra", "testing", "fixtures");

    private Checkout() {}

    /** The root of the source tree. */
    public static Path root() {
        for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve(MARKER))) {
                return at;
            }
        }
        throw new IllegalStateException(
                "No directory above "
                        + Path.of("").toAbsolutePath()
                        + " contains "
                        + MARKER
                        + "; start the tests inside the source tree");
    }

    /** A path inside infra/testing. */
    static Path testing(String relative) {
        return root().resolve("infra/testing").resolve(relative);
    }
}
