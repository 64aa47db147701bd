package dev.perigee.worker.process.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Identifies what was installed by its content: the digest of npm's lock file, which has the
 * version and the integrity of each package that npm unpacked after verifying it.
 */
final class InstalledContent {
    private static final int LARGEST = 1 << 24;

    private InstalledContent() {}

    /** Such as {@code sha256:…}; null where there is no lock file. */
    static @Nullable String of(Path made) {
        var lock = made.resolve("package-lock.json");
        if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (var content = Files.newInputStream(lock, LinkOption.NOFOLLOW_LINKS)) {
            var digest = MessageDigest.getInstance("SHA-256");
            return "sha256:" + HexFormat.of().formatHex(digest.digest(content.readNBytes(LARGEST)));
        } catch (IOException e) {
            return null;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
