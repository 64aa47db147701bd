package dev.perigee.worker.process.packages;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packages that npm installed, by its lock file, which has the version and the integrity of each
 * package that npm unpacked after verifying it.
 *
 * @param digest of the lock file, such as {@code sha256:…}; null where there is none
 * @param scripted packages that have install scripts, a few at most, by their folders
 */
record InstalledContent(@Nullable String digest, List<String> scripted) {
    private static final int LARGEST = 1 << 24;
    private static final int MOST = 20;

    static InstalledContent of(Path made) {
        var lock = made.resolve("package-lock.json");
        if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
            return new InstalledContent(null, List.of());
        }
        try (var content = Files.newInputStream(lock, LinkOption.NOFOLLOW_LINKS)) {
            var bytes = content.readNBytes(LARGEST);
            var digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return new InstalledContent(
                    "sha256:" + HexFormat.of().formatHex(digest), scripted(bytes));
        } catch (IOException e) {
            return new InstalledContent(null, List.of());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    private static List<String> scripted(byte[] lock) {
        var names = new ArrayList<String>();
        try {
            var packages = Json.tree(lock).get("packages");
            if (packages != null) {
                for (var entry : packages.properties()) {
                    if (entry.getValue().has("hasInstallScript") && names.size() < MOST) {
                        names.add(entry.getKey());
                    }
                }
            }
        } catch (InvalidRecordException e) {
            return List.of();
        }
        return names;
    }
}
