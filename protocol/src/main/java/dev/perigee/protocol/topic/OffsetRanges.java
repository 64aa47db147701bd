package dev.perigee.protocol.topic;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Set of offsets of one partition, kept as ranges without a gap: a range of any length costs as
 * much as its ends. Its owner bounds the number of ranges. For one thread at a time.
 */
public final class OffsetRanges {
    /** The last offset of a range by its first. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    /** Adds offsets, first and last inclusive. */
    public void add(long first, long last) {
        long from = first;
        long to = last;
        var before = ranges.floorEntry(from);
        if (before != null && before.getValue() >= from - 1) {
            from = before.getKey();
            to = Math.max(to, before.getValue());
        }
        for (var next = ranges.ceilingEntry(from);
                next != null && next.getKey() <= to + 1;
                next = ranges.ceilingEntry(from)) {
            to = Math.max(to, next.getValue());
            ranges.remove(next.getKey());
        }
        ranges.put(from, to);
    }

    /** Whether an offset is among them. */
    public boolean contains(long offset) {
        return around(offset) != null;
    }

    /** Takes an offset out; false when it was not among them. */
    public boolean remove(long offset) {
        var range = around(offset);
        if (range == null) {
            return false;
        }
        long from = range.getKey();
        long to = range.getValue();
        ranges.remove(from);
        if (from < offset) {
            ranges.put(from, offset - 1);
        }
        if (offset < to) {
            ranges.put(offset + 1, to);
        }
        return true;
    }

    /** Takes out all offsets below one. */
    public void removeBelow(long offset) {
        var across = ranges.lowerEntry(offset);
        ranges.headMap(offset).clear();
        if (across != null && across.getValue() >= offset) {
            ranges.put(offset, across.getValue());
        }
    }

    /** True when there are none. */
    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** How many ranges there are. */
    public int count() {
        return ranges.size();
    }

    /** Passes on the first and the last offset of each range, in order. */
    public void forEach(BiConsumer<Long, Long> range) {
        ranges.forEach(range);
    }

    private Map.@Nullable Entry<Long, Long> around(long offset) {
        var range = ranges.floorEntry(offset);
        return range != null && range.getValue() >= offset ? range : null;
    }
}
