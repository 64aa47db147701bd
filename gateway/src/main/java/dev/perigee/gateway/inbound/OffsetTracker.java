package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.NumberMap;
import java.util.TreeSet;

/**
 * Out-of-order completion tracker of one stream of numbers: a topic partition's offsets, or a
 * process's journal entries. {@link #settled()} is the low watermark: everything below it is done,
 * and one slow entry holds it back. {@link #isFull()} asks for backpressure when too much is open.
 *
 * <p>No threads, no I/O. Each operation is atomic, so that the poll loop may add what the owner
 * completes.
 */
public final class OffsetTracker {
    private final int maxEntries;
    private final long maxBytes;
    private final NumberMap<Integer> open = new NumberMap<>();
    private final TreeSet<Long> early = new TreeSet<>();
    private long openBytes;
    private long next = -1;
    private long completions;

    /** Limits of what may be open; at either of them the tracker is full. */
    public OffsetTracker(int maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    /** Something arrived. Numbers grow; one that was passed already is ignored. */
    public synchronized boolean add(long number, int bytes) {
        if (number < next) {
            return false;
        }
        open.put(number, bytes);
        openBytes += bytes;
        next = number + 1;
        return true;
    }

    /** Nothing below this number is still to come: numbers that no record has are passed. */
    public synchronized void advanceTo(long number) {
        next = Math.max(next, number);
    }

    /** Something is done. False when it was not open. */
    public synchronized boolean complete(long number) {
        var bytes = open.remove(number);
        if (bytes == null) {
            return false;
        }
        openBytes -= bytes;
        completions++;
        return true;
    }

    /**
     * Something is done, whether or not it has arrived yet. Of what has not, as many are remembered
     * as a commit can name; they are open from their arrival until they are completed.
     */
    public synchronized void completeEarly(long number) {
        if (number < next) {
            boolean _ = complete(number);
        } else if (early.size() < ProgressCodec.WINDOW && early.add(number)) {
            completions++;
        }
    }

    /** How many have been completed. */
    synchronized long completions() {
        return completions;
    }

    /** True while this number was added and not completed. */
    public synchronized boolean isOpen(long number) {
        return open.contains(number);
    }

    /** Everything below is done; -1 while nothing is known. */
    public synchronized long settled() {
        return open.isEmpty() ? next : open.firstNumber();
    }

    /**
     * Completion bits from {@link #settled()} on, at most so many. Offsets not yet received keep
     * their previous completion bit, or have the one of an early completion.
     */
    synchronized OffsetSet completed(OffsetSet before, int most) {
        long base = settled();
        var bits = before.from(base);
        int arrived = (int) Math.min(most, next - base);
        bits.set(0, arrived);
        open.forEach(
                (number, _) -> {
                    if (number < base + arrived) {
                        bits.clear((int) (number - base));
                    }
                });
        early.headSet(base).clear();
        for (long number : early.headSet(base + most)) {
            bits.set((int) (number - base));
        }
        return new OffsetSet(base, bits);
    }

    /** The number after the last one that arrived or was passed; -1 while nothing is known. */
    public synchronized long next() {
        return next;
    }

    /** How many are open. */
    public synchronized int openEntries() {
        return open.size();
    }

    /** Sum of the sizes of those that are open, in bytes. */
    public synchronized long openBytes() {
        return openBytes;
    }

    /** True at a limit: nothing more should come. */
    public synchronized boolean isFull() {
        return open.size() >= maxEntries || openBytes >= maxBytes;
    }

    /** True when at most half of each limit is used: more may come again. */
    public synchronized boolean hasRoom() {
        return open.size() <= maxEntries / 2 && openBytes <= maxBytes / 2;
    }
}
