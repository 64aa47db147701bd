package dev.perigee.worker.process.network;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;

/**
 * Fair queue without repeats, round-robin over owners, however much one has. Used by one thread.
 */
final class Turns<O, T> {
    private final LinkedHashMap<O, LinkedHashSet<T>> waiting = new LinkedHashMap<>();

    void add(O owner, T one) {
        waiting.computeIfAbsent(owner, _ -> new LinkedHashSet<>()).add(one);
    }

    void remove(O owner, T one) {
        var all = waiting.get(owner);
        if (all != null) {
            all.remove(one);
            if (all.isEmpty()) {
                waiting.remove(owner);
            }
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Who has something to be done. */
    int owners() {
        return waiting.size();
    }

    /** What is next, where there is something. */
    T next() {
        var first = waiting.sequencedEntrySet().getFirst();
        var owner = first.getKey();
        var all = first.getValue();
        waiting.remove(owner);
        var next = all.removeFirst();
        if (!all.isEmpty()) {
            waiting.put(owner, all);
        }
        return next;
    }
}
