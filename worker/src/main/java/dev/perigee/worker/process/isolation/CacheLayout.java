package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * The worker's cache directory on this host.
 *
 * <pre>
 *  homes/TEAM/USER/INSTALLATION/RUNTIME   a server's home, the only directory here that it can change
 *  packages                               what package managers made, for all
 *  ~gone                                  homes of removed installations, until they are deleted
 *  ~jails/WORKER                          logs of a worker's jails
 *  ~probe                                 the home of the jail that is tried at start
 * </pre>
 *
 * Ids are text that others chose; each becomes a name that leads nowhere else and that no other id
 * becomes. Only a home itself is mounted into jails, never a directory above it, so no program can
 * replace a path of this class by a link. Every directory is its owner's only. Thread-safe.
 */
public final class CacheLayout {
    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final int LONGEST_NAME = 180;
    private static final int KEPT = 100;
    private static final String OWNER_ONLY = "rwx------";

    private final Path root;

    CacheLayout(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /** Where all of it is, which is made when it is not there. */
    Path root() {
        return make(root);
    }

    /** The directory, which is made when it is not there. */
    Path home(Home home, ServerRuntime runtime) {
        return switch (home) {
            case Home.OfInstallation of -> make(installation(of).resolve(runtime.wireName()));
            case Home.OfWorker own -> own.directory();
        };
    }

    private Path installation(Home.OfInstallation home) {
        return root.resolve("homes")
                .resolve(name(home.teamId()))
                .resolve(name(home.userId()))
                .resolve(name(home.installationId()));
    }

    /** Where packages are kept. */
    Path packages() {
        return make(root.resolve("packages"));
    }

    /** Where discarded homes wait to be deleted. */
    Path gone() {
        return make(root.resolve("~gone"));
    }

    /** A home of no installation: no id becomes this name. */
    Path probe() {
        return make(root.resolve("~probe"));
    }

    /** A directory for the logs of a worker's jails, see {@link JailLog}. */
    Path logs(String workerId) {
        return make(root.resolve("~jails").resolve(name(workerId)));
    }

    /**
     * Moves an installation's homes to {@link #gone}, where no later installation finds them. Its
     * processes have ended.
     *
     * @return whether there were any
     * @throws UncheckedIOException when they stay where they are
     */
    boolean discard(Home.OfInstallation home) {
        var directory = installation(home);
        if (!Files.exists(directory)) {
            return false;
        }
        try {
            var gone = gone().resolve(UUID.randomUUID().toString());
            Files.move(directory, gone, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("The home %s stays".formatted(directory), e);
        }
    }

    /**
     * Makes a directory of the cache and those above it, for its owner only.
     *
     * @throws UncheckedIOException when it is not there and cannot be made
     */
    public static Path make(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory, ownerOnly(directory));
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The cache directory %s cannot be made: give this user the right to, or set worker.cache-directory"
                            .formatted(directory),
                    e);
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path directory) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? List.of(
                                PosixFilePermissions.asFileAttribute(
                                        PosixFilePermissions.fromString(OWNER_ONLY)))
                        .toArray(FileAttribute<?>[]::new)
                : new FileAttribute<?>[0];
    }

    /** Letters, digits, '-', '_' and inner dots as they are, every other byte as %XX. */
    public static String name(String id) {
        var name = new StringBuilder();
        for (var unit : id.getBytes(StandardCharsets.UTF_8)) {
            var letter = (char) (unit & 0xff);
            if (PLAIN.indexOf(letter) >= 0 || (letter == '.' && !name.isEmpty())) {
                name.append(letter);
            } else {
                name.append('%').append(HexFormat.of().withUpperCase().toHexDigits(unit));
            }
        }
        // What is too long for a file's name is cut and distinguished by '~', never as it is.
        return name.length() <= LONGEST_NAME
                ? name.toString()
                : name.substring(0, KEPT) + '~' + digest(id);
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
