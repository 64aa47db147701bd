package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Where the teams' caches are on this host: {@code <root>/<runtime>/<team>}. A team's id is text
 * that others chose; it becomes a name that leads nowhere else and that no other id becomes.
 *
 * <p>Source: seeds/process-management.txt, "Filesystem Jailing".
 */
final class TeamCaches {
    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final int LONGEST_NAME = 180;
    private static final int KEPT = 100;
    private static final String OWNER_ONLY = "rwx------";

    private final Path root;

    TeamCaches(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /** Where all of them are, which is made when it is not there. */
    Path root() {
        return make(root);
    }

    /** The directory, which is made when it is not there. */
    Path directory(ServerRuntime runtime, String teamId) {
        return make(root.resolve(runtime.wireName()).resolve(name(teamId)));
    }

    /** A directory of no team: no id becomes this name. */
    Path probe() {
        return make(root.resolve("~probe"));
    }

    /** A directory of no team for the logs of a worker's jails, see {@link JailLog}. */
    Path logs(String workerId) {
        return make(root.resolve("~jails").resolve(name(workerId)));
    }

    private static Path make(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory.getParent());
                Files.createDirectories(directory);
                if (Files.getFileStore(directory).supportsFileAttributeView("posix")) {
                    Files.setPosixFilePermissions(
                            directory, PosixFilePermissions.fromString(OWNER_ONLY));
                }
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The cache directory %s cannot be made: give this user the right to, or set worker.cache-directory"
                            .formatted(directory),
                    e);
        }
    }

    /** Letters, digits, '-', '_' and inner dots as they are, every other byte as %XX. */
    static String name(String teamId) {
        var name = new StringBuilder();
        for (var unit : teamId.getBytes(StandardCharsets.UTF_8)) {
            var letter = (char) (unit & 0xff);
            if (PLAIN.indexOf(letter) >= 0 || (letter == '.' && !name.isEmpty())) {
                name.append(letter);
            } else {
                name.append('%').append(HexFormat.of().withUpperCase().toHexDigits(unit));
            }
        }
        // What is too long for a file's name is cut and told apart by '~', which is never as it is.
        return name.length() <= LONGEST_NAME
                ? name.toString()
                : name.substring(0, KEPT) + '~' + digest(teamId);
    }

    private static String digest(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
