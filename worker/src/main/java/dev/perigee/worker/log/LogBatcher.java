package dev.perigee.worker.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects entries until there are enough; the clock that ends a batch earlier is the caller's. Not
 * thread-safe.
 */
final class LogBatcher<T> {
    private final int maxEntries;
    private List<T> entries = new ArrayList<>();
    private long batch;

    LogBatcher(int maxEntries) {
        this.maxEntries = maxEntries;
    }

    /** Adds an entry to the current batch; true when that is full and must be taken. */
    boolean add(T entry) {
        entries.add(entry);
        return entries.size() >= maxEntries;
    }

    /** Number of the current batch: a clock that was started for an earlier one means nothing. */
    long batch() {
        return batch;
    }

    /** The current batch, which ends with this; may be empty. */
    List<T> take() {
        var taken = entries;
        entries = new ArrayList<>();
        batch++;
        return taken;
    }
}
