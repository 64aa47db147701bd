package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Gives each home an id of the host that no other home of the cache directory has. The owner of a
 * home is its id; nothing else remembers it. An id that is to become an owner is taken first by an
 * empty file of its name, which workers that share the directory cannot make twice. Ids are given
 * back only when none is left: then each file goes to whose id no home belongs, not even one that
 * is still to be deleted. Thread-safe; reads the host's file system.
 */
final class HomeIds {
    /** Longer than it takes from taking an id to giving its home to it. */
    private static final Duration FRESH = Duration.ofMinutes(30);

    /** All homes are looked at once in this time, at most. */
    private static final Duration PACE = Duration.ofMinutes(1);

    private static final int REMEMBERED = 10_000;

    /**
     * One directory, as long as it is there: its number on the disk may be another's after it.
     *
     * @param created where the file system does not tell it, when it was changed last: not before
     *     something runs there
     */
    private record Identity(Object inode, Object created) {

        static Identity of(Path home) throws IOException {
            var attributes = Files.readAttributes(home, "unix:ino,creationTime");
            return new Identity(
                    Objects.requireNonNull(attributes.get("ino")),
                    Objects.requireNonNull(attributes.get("creationTime")));
        }
    }

    /** Not believed after half of the time in which its file is not removed. */
    private record Given(int id, Instant at) {}

    private final IdRange range;
    private final CacheLayout caches;
    private final InstantSource clock;

    /** Of homes that have not been seen to have it yet; the oldest is forgotten. */
    private final Map<Identity, Given> given =
            Collections.synchronizedMap(
                    new LinkedHashMap<Identity, Given>() {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<Identity, Given> eldest) {
                            return size() > REMEMBERED;
                        }
                    });

    private int next;
    private Instant mayReclaim = Instant.MIN;

    HomeIds(IdRange range, CacheLayout caches, InstantSource clock) {
        this.range = range;
        this.caches = caches;
        this.clock = clock;
        this.next = range.first() + 1;
    }

    IdRange range() {
        return range;
    }

    /**
     * The id that a home has, or one for it, which it gets before anything runs there.
     *
     * @throws UncheckedIOException when there is none for it; the message says what to do
     */
    int of(Path home) {
        try {
            return idOf(home);
        } catch (IOException e) {
            throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The id of what the worker runs in a directory: the directory's owner, or the first. */
    int ofWorker(Path directory) {
        try {
            int owner = FileOwner.of(directory);
            return range.contains(owner) ? owner : range.first();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int idOf(Path home) throws IOException {
        var identity = Identity.of(home);
        int owner = FileOwner.of(home);
        if (range.contains(owner)) {
            given.remove(identity);
            var _ = take(owner);
            return owner;
        }
        if (owner != FileOwner.own()) {
            throw new IOException(
                    "The home %s belongs to the id %d, which is not among isolation.ids=%s: add it there, or chown -R the home to the worker's user"
                            .formatted(home, owner, range));
        }
        return give(home, identity);
    }

    /** Programs that begin in a home at the same moment have the same. */
    private synchronized int give(Path home, Identity identity) throws IOException {
        var now = clock.instant();
        var present = given.get(identity);
        if (present != null && now.isBefore(present.at().plus(FRESH.dividedBy(2)))) {
            return present.id();
        }
        // It is forgotten as soon as its home has it.
        int owner = FileOwner.of(home);
        if (range.contains(owner)) {
            return owner;
        }
        int id = free();
        given.put(identity, new Given(id, now));
        return id;
    }

    private int free() throws IOException {
        int found = search();
        if (found < 0 && !clock.instant().isBefore(mayReclaim)) {
            mayReclaim = clock.instant().plus(PACE);
            reclaim();
            found = search();
        }
        if (found < 0) {
            throw new IOException(
                    "All %d ids of isolation.ids=%s are taken by homes below worker.cache-directory: remove installations, or give it more ids"
                            .formatted(range.homes(), range));
        }
        return found;
    }

    /** Less than zero where all are taken. */
    private int search() throws IOException {
        for (int tried = 0; tried < range.homes(); tried++) {
            int candidate = next;
            next = candidate == range.last() ? range.first() + 1 : candidate + 1;
            if (take(candidate)) {
                return candidate;
            }
        }
        return -1;
    }

    private boolean take(int id) throws IOException {
        try {
            Files.createFile(caches.ids().resolve(Integer.toString(id)));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    private void reclaim() throws IOException {
        var owners = owners();
        var fresh = clock.instant().minus(FRESH);
        try (var taken = Files.newDirectoryStream(caches.ids())) {
            for (var file : taken) {
                var used = owners.contains(String.valueOf(file.getFileName()));
                if (!used && Files.getLastModifiedTime(file).toInstant().isBefore(fresh)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private Set<String> owners() throws IOException {
        var owners = new HashSet<String>();
        for (var home : caches.homes()) {
            // One that was deleted meanwhile has none.
            if (Files.exists(home, LinkOption.NOFOLLOW_LINKS)) {
                owners.add(Integer.toString(FileOwner.of(home)));
            }
        }
        return owners;
    }
}
