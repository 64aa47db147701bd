package dev.perigee.console;

import java.util.LinkedHashSet;

/**
 * Bounds what the histories of all instances hold together: beyond it the oldest entry of all gives
 * way, whosever it is. For the board's lock.
 */
final class Budget {
    /** An entry of one instance. */
    interface Held {
        int bytes();

        /** Drops the oldest of the instance, which it is. */
        void dropOldest();
    }

    private final long maxBytes;
    private final LinkedHashSet<Held> oldestFirst = new LinkedHashSet<>();
    private long bytes;
    private long dropped;

    Budget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    void take(Held held) {
        oldestFirst.add(held);
        bytes += held.bytes();
        while (bytes > maxBytes) {
            oldestFirst.getFirst().dropOldest();
            dropped++;
        }
    }

    void release(Held held) {
        if (oldestFirst.remove(held)) {
            bytes -= held.bytes();
        }
    }

    /** How many entries gave way for want of room. */
    long dropped() {
        return dropped;
    }
}
