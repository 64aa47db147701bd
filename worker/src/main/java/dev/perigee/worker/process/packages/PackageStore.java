package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.HeldPath;
import dev.perigee.worker.process.isolation.CacheDirectory;
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
import org.jspecify.annotations.Nullable;

/**
 * The installations of one package in a team's cache.
 *
 * <pre>
 *  perigee-packages/KEY/UUID/making   where the package manager works
 *                           /made     the same, renamed when it is complete
 *                           /tools    what uv's programs refer to by its absolute path
 * </pre>
 *
 * The newest complete one counts. Workers that share a cache make installations of their own beside
 * each other's; one that is killed leaves a directory without {@code made}, which nobody uses.
 *
 * <p>The team's own programs can write here, at any moment, so what is read is not trusted: it
 * decides what is run inside the team's own enclosure, and nothing else. Nothing is looked at or
 * changed but what is held, and is in the team's cache; and not without end. All that this class
 * changes are a name and a time stamp; directories are made and removed by enclosed programs only.
 */
final class PackageStore {
    private static final String PACKAGES = "perigee-packages";
    private static final String MAKING = "making";
    private static final String MADE = "made";
    private static final Duration ABANDONED = Duration.ofHours(2);

    /** Far more than there are, unless somebody makes them by the million. */
    private static final int MOST = 500;

    private final Path cache;
    private final Path host;
    private final Path inside;

    PackageStore(CacheDirectory cache, String key) {
        this.cache = cache.host().toAbsolutePath();
        this.host = this.cache.resolve(PACKAGES).resolve(key);
        this.inside = cache.inside().toAbsolutePath().resolve(PACKAGES).resolve(key);
    }

    /**
     * A complete installation.
     *
     * @param since when it was made, last found to be the newest, or replaced
     */
    record Installed(String id, Path host, Path inside, Instant since) {}

    /** An installation that is being made; the paths are those that the package manager sees. */
    record Draft(String id, Path hostMaking, Path making, Path tools) {}

    /** Distinguishes this store from others of the worker. */
    String id() {
        return host.toString();
    }

    /** The installation to use, null when there is none. */
    @Nullable Installed newest() {
        var complete = complete();
        return complete.isEmpty() ? null : complete.getFirst();
    }

    Draft draft() {
        var id = UUID.randomUUID().toString();
        var at = inside.resolve(id);
        return new Draft(
                id, host.resolve(id).resolve(MAKING), at.resolve(MAKING), at.resolve("tools"));
    }

    /** The draft is complete, and replaces the newest from now on. */
    Installed publish(Draft draft, Instant now) throws IOException {
        var made = host.resolve(draft.id()).resolve(MADE);
        try (var at = hold(host.resolve(draft.id()))) {
            Files.move(
                    at.path().resolve(MAKING),
                    at.path().resolve(MADE),
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the cache's file system cannot rename a directory", e);
        }
        var replaced = complete().stream().filter(one -> !one.id().equals(draft.id())).findFirst();
        if (replaced.isPresent()) {
            confirm(replaced.get(), now.minusMillis(1));
        }
        return confirm(
                new Installed(draft.id(), made, inside.resolve(draft.id()).resolve(MADE), now),
                now);
    }

    /** It is the newest now. */
    Installed confirm(Installed installed, Instant now) throws IOException {
        try (var made = hold(installed.host())) {
            if (!Files.isDirectory(made.path())) {
                throw new NotDirectoryException(installed.host().toString());
            }
            Files.setLastModifiedTime(made.path(), FileTime.from(now));
        }
        return new Installed(installed.id(), installed.host(), installed.inside(), now);
    }

    /** One of the host's paths of this store, if it leads to what is in the team's cache. */
    HeldPath hold(Path path) throws IOException {
        try (var home = HeldPath.of(cache)) {
            return home.below(cache.relativize(path));
        }
    }

    /** Where an enclosed program finds everything of a draft or an installation. */
    Path whole(String id) {
        return inside.resolve(id);
    }

    /**
     * What nobody uses any more, as enclosed programs see it: installations that were replaced
     * longer ago than {@code keep}, and those that were never completed.
     */
    List<Path> disused(Duration keep, Instant now) {
        var disused = new ArrayList<Path>();
        var complete = complete();
        for (var replaced : complete.subList(Math.min(1, complete.size()), complete.size())) {
            if (replaced.since().plus(keep).isBefore(now)) {
                disused.add(whole(replaced.id()));
            }
        }
        for (var entry : entries()) {
            if (entry.made() == null && entry.changed().plus(ABANDONED).isBefore(now)) {
                disused.add(whole(entry.id()));
            }
        }
        return disused;
    }

    /** Newest first. */
    private List<Installed> complete() {
        var complete = new ArrayList<Installed>();
        for (var entry : entries()) {
            if (entry.made() != null) {
                complete.add(
                        new Installed(
                                entry.id(),
                                host.resolve(entry.id()).resolve(MADE),
                                whole(entry.id()).resolve(MADE),
                                entry.made()));
            }
        }
        complete.sort(Comparator.comparing(Installed::since).reversed());
        return complete;
    }

    /** A directory here, when it changed, and when what is complete in it did. */
    private record Entry(String id, Instant changed, @Nullable Instant made) {}

    private List<Entry> entries() {
        try (var here = hold(host)) {
            if (!Files.isDirectory(here.path())) {
                return List.of();
            }
            try (var found = Files.list(here.path())) {
                return found.limit(MOST)
                        .filter(PackageStore::isDirectory)
                        .map(PackageStore::entry)
                        .toList();
            }
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }

    private static Entry entry(Path at) {
        var made = at.resolve(MADE);
        return new Entry(
                at.getFileName().toString(), time(at), isDirectory(made) ? time(made) : null);
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
