package dev.perigee.protocol.topic;

import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * Set of offsets of one partition, kept as ranges without a gap: a range of any length costs as
 * much as its ends. Its owner bounds the number of ranges. For one thread at a time.
 */
public final class OffsetRanges {
    private static final int LEAST = 4;

    private long[] firsts = new long[LEAST];
    private long[] lasts = new long[LEAST];
    private int count;

    /** Adds offsets, first and last inclusive. */
    public void add(long first, long last) {
        if (first > last) {
            return;
        }
        int at = notBefore(first - 1);
        int end = at;
        long from = first;
        long to = last;
        while (end < count && firsts[end] - 1 <= last) {
            from = Math.min(from, firsts[end]);
            to = Math.max(to, lasts[end]);
            end++;
        }
        replace(at, end, 1);
        firsts[at] = from;
        lasts[at] = to;
    }

    /** Whether an offset is among them. */
    public boolean contains(long offset) {
        int at = notBefore(offset);
        return at < count && firsts[at] <= offset;
    }

    /** Takes an offset out; false when it was not among them. */
    public boolean remove(long offset) {
        if (!contains(offset)) {
            return false;
        }
        int at = notBefore(offset);
        long from = firsts[at];
        long to = lasts[at];
        int rest = (from < offset ? 1 : 0) + (offset < to ? 1 : 0);
        replace(at, at + 1, rest);
        if (from < offset) {
            firsts[at] = from;
            lasts[at] = offset - 1;
        }
        if (offset < to) {
            firsts[at + rest - 1] = offset + 1;
            lasts[at + rest - 1] = to;
        }
        return true;
    }

    /** Takes out all offsets below one. */
    public void removeBelow(long offset) {
        replace(0, notBefore(offset), 0);
        if (count > 0) {
            firsts[0] = Math.max(firsts[0], offset);
        }
    }

    /** True when there are none. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** How many ranges there are. */
    public int count() {
        return count;
    }

    /** Passes on the first and the last offset of each range, in order. */
    public void forEach(BiConsumer<Long, Long> range) {
        for (int i = 0; i < count; i++) {
            range.accept(firsts[i], lasts[i]);
        }
    }

    /** The place of the first range that does not end before an offset. */
    private int notBefore(long offset) {
        int at = Arrays.binarySearch(lasts, 0, count, offset);
        return at < 0 ? -at - 1 : at;
    }

    /** Makes room for some ranges in place of others. */
    private void replace(int from, int to, int by) {
        int after = count + from + by - to;
        if (after > firsts.length) {
            firsts = Arrays.copyOf(firsts, 2 * after);
            lasts = Arrays.copyOf(lasts, 2 * after);
        }
        System.arraycopy(firsts, to, firsts, from + by, count - to);
        System.arraycopy(lasts, to, lasts, from + by, count - to);
        count = after;
    }
}
