package dev.perigee.gateway.console;

import java.util.LinkedHashSet;

/**
 * Bounds what the histories of all instances hold together: beyond it the oldest entry of all gives
 * way, whosever it is. For the board's lock.
 */
final class Budget {
    private final long maxBytes;
    private final LinkedHashSet<Ring.Held> oldestFirst = new LinkedHashSet<>();
    private long bytes;
    private long dropped;

    Budget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    void take(Ring.Held held) {
        oldestFirst.add(held);
        bytes += held.bytes();
        while (bytes > maxBytes) {
            oldestFirst.getFirst().ring().dropOldest();
            dropped++;
        }
    }

    void release(Ring.Held held) {
        if (oldestFirst.remove(held)) {
            bytes -= held.bytes();
        }
    }

    /** How many entries gave way for want of room. */
    long dropped() {
        return dropped;
    }
}
