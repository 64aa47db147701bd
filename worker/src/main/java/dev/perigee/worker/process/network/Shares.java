package dev.perigee.worker.process.network;

import dev.perigee.worker.process.Tenant;
import java.util.HashMap;
import java.util.Map;

/** Counts of a shared resource by owner. Used by one thread. */
final class Shares {
    private final Map<Tenant, Integer> counts = new HashMap<>();

    int of(Tenant owner) {
        return counts.getOrDefault(owner, 0);
    }

    void add(Tenant owner) {
        counts.put(owner, of(owner) + 1);
    }

    /** Of an owner that has one. */
    void remove(Tenant owner) {
        int left = of(owner) - 1;
        if (left > 0) {
            counts.put(owner, left);
        } else {
            counts.remove(owner);
        }
    }
}
