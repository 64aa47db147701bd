package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether this worker can run each server as a user of its own.
 *
 * @param setting {@code isolation.ids}
 * @param rights the worker's
 * @param subordinate ids of its user
 * @param caches where homes are
 */
record IdentitySearch(
        String setting, HostRights rights, SubordinateIds subordinate, CacheLayout caches) {
    static final String AUTO = "auto";
    static final String NONE = "none";

    /**
     * Where {@code auto} looks. Above what systems give to users, containers and machines: {@code
     * SUB_UID_MAX} of login.defs is 600100000, systemd's containers end at 1879048191.
     */
    private static final IdRange OF_HOST = new IdRange(1_900_000_000, 1_900_065_535);

    /** In a container with users of its own, above the system's and below systemd's. */
    private static final IdRange OF_CONTAINER = new IdRange(20_000, 59_999);

    /**
     * Decides.
     *
     * @throws IllegalStateException when a range is asked for and cannot be had; the message says
     *     what to do
     */
    Identities find() {
        if (setting.equals(NONE)) {
            return new Identities.Shared("isolation.ids=none");
        }
        var range = setting.equals(AUTO) ? automatic() : IdRange.parse(setting);
        var obstacle = obstacle(range);
        if (obstacle == null && range != null) {
            return new Identities.Own(new HomeIds(range, caches, InstantSource.system()));
        }
        if (!setting.equals(AUTO)) {
            throw new IllegalStateException(
                    "isolation.ids=%s is asked for, and %s; or set isolation.ids=auto"
                            .formatted(setting, obstacle));
        }
        return new Identities.Shared(String.valueOf(obstacle));
    }

    private @Nullable IdRange automatic() {
        return Stream.of(OF_HOST, OF_CONTAINER).filter(rights::has).findFirst().orElse(null);
    }

    private @Nullable String obstacle(@Nullable IdRange range) {
        if (!rights.isRoot()) {
            return "the worker is neither root nor started with subordinate ids of its user: "
                    + subordinate.advice();
        }
        var missing = rights.missing();
        if (!missing.isEmpty()) {
            return "the worker lacks %s: give it these capabilities"
                    .formatted(String.join(", ", missing));
        }
        if (range == null || !rights.has(range)) {
            return "the worker's container has not so many ids: map at least 65536 into it";
        }
        var closed = closed();
        return closed == null
                ? null
                : "other users cannot pass %s to reach their homes below it: chmod o+x %s"
                        .formatted(closed, closed);
    }

    /** The first directory to the homes that others may not pass; null without one. */
    private @Nullable Path closed() {
        try {
            var root = caches.root().toRealPath();
            for (var at = root; at != null; at = at.getParent()) {
                if (!Files.getPosixFilePermissions(at)
                        .contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return at;
                }
            }
            return null;
        } catch (IOException e) {
            return caches.root();
        }
    }

    /** Whether a text is a value of the setting. */
    static boolean accepts(String text) {
        return List.of(AUTO, NONE).contains(text) || IdRange.parse(text) != null;
    }
}
