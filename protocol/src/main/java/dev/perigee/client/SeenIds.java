package dev.perigee.client;

import java.util.LinkedHashSet;

/** The last so many ids that came, so that a repeat is known. For one thread. */
final class SeenIds {
    private final int most;
    private final LinkedHashSet<String> ids = new LinkedHashSet<>();

    SeenIds(int most) {
        this.most = most;
    }

    /** True the first time. */
    boolean add(String id) {
        if (!ids.add(id)) {
            return false;
        }
        if (ids.size() > most) {
            ids.removeFirst();
        }
        return true;
    }
}
