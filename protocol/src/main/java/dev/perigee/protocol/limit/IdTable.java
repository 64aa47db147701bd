package dev.perigee.protocol.limit;

/**
 * Hashes of ids with a time each, 16 bytes a slot, by open addressing. Of the 128 bits of a hash
 * 104 are kept. Nothing is taken out: a table goes as a whole. Not thread-safe.
 */
final class IdTable {
    /** What an id takes at most, a little after a table has grown. */
    static final int BYTES_PER_ID = 28;

    /** Times are below this. */
    static final long TIMES = 1L << 24;

    /** No time: the id is not there. */
    static final long ABSENT = -1;

    private static final int LEAST = 8;
    private static final long TIME = TIMES - 1;

    private long[] slots = new long[2 * LEAST];
    private int size;

    /** Notes an id, or another time of one that is there; true when it was not. */
    boolean put(long high, long low, long time) {
        if (4 * (size + 1) > 3 * capacity()) {
            grow();
        }
        boolean added = set(present(high), (low & ~TIME) | time);
        if (added) {
            size++;
        }
        return added;
    }

    /** The time of an id, or {@link #ABSENT}. */
    long find(long high, long low) {
        int slot = slot(present(high), low);
        return slots[slot] == 0 ? ABSENT : slots[slot + 1] & TIME;
    }

    int capacity() {
        return slots.length / 2;
    }

    private void grow() {
        var before = slots;
        slots = new long[before.length + 2 * Math.max(LEAST, capacity() / 4)];
        for (int i = 0; i < before.length; i += 2) {
            if (before[i] != 0) {
                set(before[i], before[i + 1]);
            }
        }
    }

    private boolean set(long high, long low) {
        int slot = slot(high, low);
        boolean added = slots[slot] == 0;
        slots[slot] = high;
        slots[slot + 1] = low;
        return added;
    }

    /** Where the id is, or would be. */
    private int slot(long high, long low) {
        int slot = 2 * (int) (((high >>> 32) * capacity()) >>> 32);
        while (slots[slot] != 0 && !(slots[slot] == high && sameId(slots[slot + 1], low))) {
            slot += 2;
            if (slot == slots.length) {
                slot = 0;
            }
        }
        return slot;
    }

    private static boolean sameId(long one, long other) {
        return ((one ^ other) & ~TIME) == 0;
    }

    /** Zero is an empty slot. */
    private static long present(long high) {
        return high == 0 ? 1 : high;
    }
}
