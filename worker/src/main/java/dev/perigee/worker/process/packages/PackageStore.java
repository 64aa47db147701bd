package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.isolation.CacheLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The installations of one package in the worker's cache directory.
 *
 * <pre>
 *  packages/SCOPE/KEY/UUID/making   where the package manager works
 *                         /made     the same, renamed when it is complete
 *                         /tools    what uv's programs refer to by its absolute path
 *                         /home     the package manager's home, deleted soon
 *                         /npmrc    the operator's configuration for it, deleted when it ends
 *                         /scripts  the home of install scripts, deleted soon
 *                         /source   what git fetched, deleted soon
 *                         /packed   the package that was built of it, deleted soon
 *                     /commit  what a branch or tag was last, see {@link GitCommits}
 * </pre>
 *
 * The newest complete one counts. Workers that share a cache make installations of their own beside
 * each other's; one that is killed leaves a directory without {@code made}, which nobody uses.
 *
 * <p>Servers get {@code made} and {@code tools} read-only, so only a package manager in its jail,
 * and the scripts that it may run, ever wrote below these directories; these were mounted
 * themselves and cannot have been replaced. What is below them can be links: this class opens
 * nothing there.
 */
final class PackageStore {
    private static final String MAKING = "making";
    private static final String MADE = "made";
    private static final Duration ABANDONED = Duration.ofHours(2);

    private final Path top;
    private final Path directory;

    /**
     * A store, of which nothing has to be there yet.
     *
     * @param top the directory of all packages
     * @param scope below the directory of all packages, who shares its installations
     */
    PackageStore(Path top, Path scope, String key) {
        this.top = top;
        this.directory = scope.resolve(key);
    }

    /**
     * A complete installation.
     *
     * @param since when it was made, last found to be the newest, or replaced
     */
    record Installed(Path directory, Instant since) {
        Path made() {
            return directory.resolve(MADE);
        }

        Path tools() {
            return directory.resolve("tools");
        }
    }

    /** An installation that is being made. */
    record Draft(Path directory) {
        Path making() {
            return directory.resolve(MAKING);
        }

        Path tools() {
            return directory.resolve("tools");
        }

        Path home() {
            return directory.resolve("home");
        }

        Path scriptsHome() {
            return directory.resolve("scripts");
        }

        Path source() {
            return directory.resolve("source");
        }

        Path packed() {
            return directory.resolve("packed");
        }

        /** What only its making needs, for deletion. */
        List<Path> leftovers() {
            return Stream.of(home(), scriptsHome(), source(), packed())
                    .filter(Files::isDirectory)
                    .toList();
        }

        Path npmrc() {
            return directory.resolve("npmrc");
        }

        /** Copies the operator's configuration for who makes it, who may not read the original. */
        void keep(Path npmrc) {
            try {
                var content = Files.readAllBytes(npmrc);
                Files.createFile(npmrc(), CacheLayout.ofOwner(npmrc()));
                Files.write(npmrc(), content);
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "packages.npmrc cannot be copied: " + e.getMessage(), e);
            }
        }

        /** Removes that copy. */
        void forget() {
            try {
                Files.deleteIfExists(npmrc());
            } catch (IOException e) {
                throw new UncheckedIOException("A copy of packages.npmrc stays", e);
            }
        }
    }

    /** Distinguishes this store from others of the worker. */
    String id() {
        return directory.toString();
    }

    /** A file of the worker's beside the installations. */
    Path file(String name) {
        CacheLayout.passable(top, directory);
        return directory.resolve(name);
    }

    /** The installation to use, null when there is none. */
    @Nullable Installed newest() {
        var complete = complete();
        return complete.isEmpty() ? null : complete.getFirst();
    }

    /**
     * A new one with its empty directories.
     *
     * @throws UncheckedIOException when they cannot be made
     */
    Draft draft() {
        var draft = new Draft(directory.resolve(UUID.randomUUID().toString()));
        CacheLayout.passable(top, draft.directory());
        CacheLayout.make(draft.making());
        CacheLayout.make(draft.tools());
        CacheLayout.make(draft.home());
        CacheLayout.make(draft.scriptsHome());
        return draft;
    }

    /** The draft is complete, and replaces the newest from now on. */
    Installed publish(Draft draft, Instant now) throws IOException {
        var before = newest();
        try {
            Files.move(
                    draft.making(),
                    draft.directory().resolve(MADE),
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the cache's file system cannot rename a directory", e);
        }
        if (before != null) {
            var _ = confirm(before, now.minusMillis(1));
        }
        return confirm(new Installed(draft.directory(), now), now);
    }

    /** It is the newest now. */
    Installed confirm(Installed installed, Instant now) throws IOException {
        if (!isDirectory(installed.made())) {
            throw new NotDirectoryException(installed.made().toString());
        }
        Files.setLastModifiedTime(installed.made(), FileTime.from(now));
        return new Installed(installed.directory(), now);
    }

    /**
     * What nobody uses any more: installations that were replaced longer ago than {@code keep}, and
     * those that were never completed.
     */
    List<Path> disused(Duration keep, Instant now) {
        var disused = new ArrayList<Path>();
        var complete = complete();
        for (var replaced : complete.subList(Math.min(1, complete.size()), complete.size())) {
            if (replaced.since().plus(keep).isBefore(now)) {
                disused.add(replaced.directory());
            }
        }
        for (var entry : entries()) {
            if (!isDirectory(entry.resolve(MADE)) && time(entry).plus(ABANDONED).isBefore(now)) {
                disused.add(entry);
            }
        }
        return disused;
    }

    /** Newest first. */
    private List<Installed> complete() {
        return entries().stream()
                .filter(entry -> isDirectory(entry.resolve(MADE)))
                .map(entry -> new Installed(entry, time(entry.resolve(MADE))))
                .sorted(Comparator.comparing(Installed::since).reversed())
                .toList();
    }

    private List<Path> entries() {
        try (var found = Files.list(directory)) {
            return found.filter(PackageStore::isDirectory).toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }

    private static boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static Instant time(Path file) {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
        } catch (IOException e) {
            return Instant.EPOCH;
        }
    }
}
