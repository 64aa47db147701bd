package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The worker's cache directory on this host.
 *
 * <pre>
 *  homes/TEAM/USER/INSTALLATION/RUNTIME   a server's home, the only directory here that it can change
 *  packages                               what package managers made, for all
 *  ~gone                                  homes of removed installations, until they are deleted
 *  ~jails/WORKER                          logs of a worker's jails
 *  ~probe                                 homes of jails that are tried at start
 *  ~ids                                   an empty file for each id that a home has, see {@link HomeIds}
 * </pre>
 *
 * Ids are text that others chose; each becomes a name that leads nowhere else and that no other id
 * becomes. Only a home itself is mounted into jails, never a directory above it, so no program can
 * replace a path of this class by a link. A home is its owner's only, who may be another than the
 * worker: the directories above it are the worker's, and others may pass them and not list them.
 * Thread-safe.
 */
public final class CacheLayout {
    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final int LONGEST_NAME = 180;
    private static final int KEPT = 100;

    /** Of a home below the directory of all. */
    private static final int HOME_DEPTH = 4;

    private static final String OWNER_ONLY = "rwx------";
    private static final String PASSABLE = "rwx--x--x";
    private static final Set<PosixFilePermission> PASSING =
            Set.of(PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE);

    private final Path root;

    CacheLayout(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /** Where all of it is, which is made when it is not there. */
    Path root() {
        return passable(root);
    }

    /** The directory, which is made when it is not there. */
    Path home(Home home, ServerRuntime runtime) {
        return switch (home) {
            case Home.OfInstallation of -> {
                var installation = pass(installation(of));
                yield make(installation.resolve(runtime.wireName()));
            }
            case Home.OfWorker own -> own.directory();
            case Home.Disused disused -> disused.directory();
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
        return pass(root.resolve("packages"));
    }

    /** Where discarded homes wait to be deleted. */
    Path gone() {
        return pass(root.resolve("~gone"));
    }

    /** A new home of no installation: no id becomes this name. The caller deletes it. */
    Path probe() {
        return make(pass(root.resolve("~probe")).resolve(UUID.randomUUID().toString()));
    }

    /** A directory for the logs of a worker's jails, see {@link JailLog}. */
    Path logs(String workerId) {
        return pass(root.resolve("~jails").resolve(name(workerId)));
    }

    /** Which ids are taken, see {@link HomeIds}. */
    Path ids() {
        root();
        return make(root.resolve("~ids"));
    }

    /**
     * The homes that there are, and then the discarded ones: one that is discarded meanwhile is
     * seen.
     *
     * @throws IOException when one may be overlooked
     */
    List<Path> homes() throws IOException {
        var homes = new ArrayList<Path>();
        below(root.resolve("homes"), HOME_DEPTH, homes);
        below(gone(), 2, homes);
        return homes;
    }

    private static void below(Path directory, int depth, List<Path> found) throws IOException {
        try (var entries = Files.newDirectoryStream(directory)) {
            for (var entry : entries) {
                if (depth == 1) {
                    found.add(entry);
                } else {
                    below(entry, depth - 1, found);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Not there, or gone meanwhile.
            return;
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
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

    private Path pass(Path directory) {
        passable(root);
        return passable(root, directory);
    }

    /** Each directory below a first one down to a last one, see the other. */
    public static Path passable(Path top, Path directory) {
        var at = top;
        for (var name : top.relativize(directory)) {
            at = passable(at.resolve(name));
        }
        return directory;
    }

    /**
     * Makes a directory of the cache that leads to others: who is not its owner can go through it
     * to what he knows the name of, and see nothing of it.
     *
     * @throws UncheckedIOException when it is not there and cannot be made
     */
    static Path passable(Path directory) {
        var made = make(directory, PASSABLE);
        try {
            var permissions = EnumSet.copyOf(Files.getPosixFilePermissions(made));
            if (permissions.addAll(PASSING)) {
                Files.setPosixFilePermissions(made, permissions);
            }
        } catch (IOException | UnsupportedOperationException e) {
            // Another's, who may have a reason: who must pass and cannot says so.
        }
        return made;
    }

    /**
     * Makes a directory of the cache for its owner only, and those above it.
     *
     * @throws UncheckedIOException when it is not there and cannot be made
     */
    public static Path make(Path directory) {
        return make(directory, OWNER_ONLY);
    }

    private static Path make(Path directory, String permissions) {
        try {
            if (!Files.isDirectory(directory)) {
                var parent = directory.getParent();
                if (parent != null && !Files.isDirectory(parent)) {
                    Files.createDirectories(parent, attributes(directory, PASSABLE));
                }
                Files.createDirectories(directory, attributes(directory, permissions));
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The cache directory %s cannot be made: give this user the right to, or set worker.cache-directory"
                            .formatted(directory),
                    e);
        }
    }

    /** What a file of the cache is made with that is its owner's only. */
    public static FileAttribute<?>[] ofOwner(Path file) {
        return attributes(file, "rw-------");
    }

    private static FileAttribute<?>[] attributes(Path directory, String permissions) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? List.of(
                                PosixFilePermissions.asFileAttribute(
                                        PosixFilePermissions.fromString(permissions)))
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
