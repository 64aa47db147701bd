package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * As whom one jail runs on the host.
 *
 * @param id of the user and of the group; 0 is the worker's own, whatever that is
 * @param owned what is given to them first, with all below it
 */
record HostIdentity(int id, List<Path> owned) {
    static final HostIdentity WORKER = new HostIdentity(0, List.of());

    /** As {@code jail-entry.pl} takes them. */
    List<String> words() {
        if (id == 0) {
            return List.of();
        }
        var words = new ArrayList<>(List.of("id=" + id));
        owned.forEach(path -> words.add("own=" + path));
        return words;
    }

    HostIdentity {
        owned = List.copyOf(owned);
    }
}
