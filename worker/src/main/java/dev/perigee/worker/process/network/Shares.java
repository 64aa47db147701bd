package dev.perigee.worker.process.network;

import java.util.HashMap;
import java.util.Map;

/** How many each owner has of what all share. Used by one thread. */
final class Shares {
    private final Map<NetworkOwner, Integer> counts = new HashMap<>();

    int of(NetworkOwner owner) {
        return counts.getOrDefault(owner, 0);
    }

    void add(NetworkOwner owner) {
        counts.put(owner, of(owner) + 1);
    }

    /** Of an owner that has one. */
    void remove(NetworkOwner owner) {
        int left = of(owner) - 1;
        if (left > 0) {
            counts.put(owner, left);
        } else {
            counts.remove(owner);
        }
    }
}
