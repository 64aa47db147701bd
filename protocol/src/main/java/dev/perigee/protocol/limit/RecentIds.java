package dev.perigee.protocol.limit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;

/**
 * Ids that were there within a window of time, each exactly for its length and in some 22 bytes, so
 * that a promise about repeats can be kept for all of them. Room for an id is reserved before the
 * work that it stands for begins: where there is none the work is refused, and never an id
 * forgotten. Not thread-safe; instances share an {@link IdBudget}.
 *
 * <pre>
 *   reserve ──▶ remember ──▶ forgotten when the window is over
 *      └──▶ release
 * </pre>
 *
 * Ids are kept in generations, a fifth of the window each, which are dropped as a whole. Decision
 * record 0020 has the numbers.
 */
public final class RecentIds implements AutoCloseable {
    private static final int GENERATIONS = 5;

    /** Small enough for the garbage collector when a partition has thousands of calls a second. */
    private static final int TABLES = 16;

    private final IdBudget budget;
    private final long windowMillis;
    private final long generationMillis;
    private final long grainMillis;
    private final IdHash hash = IdHash.random();
    private final ArrayDeque<Generation> newestFirst = new ArrayDeque<>();
    private long reserved;
    private boolean closed;

    /**
     * @param window how long an id is remembered
     */
    public RecentIds(IdBudget budget, Duration window) {
        this.budget = budget;
        this.windowMillis = window.toMillis();
        this.generationMillis = Math.max(1, windowMillis / GENERATIONS);
        this.grainMillis = generationMillis / IdTable.TIMES + 1;
    }

    /**
     * Sets room aside for the id of work that may begin. To be followed by one {@link #remember} or
     * {@link #release}.
     *
     * @return false when no room was left: the work is to be refused, and the room released
     */
    public boolean reserve() {
        if (closed) {
            return false;
        }
        reserved++;
        return budget.take();
    }

    /** The id of work for which room was set aside need not be remembered. */
    public void release() {
        if (reserved > 0) {
            reserved--;
            budget.give(1);
        }
    }

    /** Remembers an id from now on, in the room that was set aside. */
    public void remember(String id, Instant now) {
        if (reserved == 0) {
            return;
        }
        reserved--;
        long millis = now.toEpochMilli();
        forget(millis);
        hash.of(id);
        if (!current(millis).add(millis)) {
            budget.give(1);
        }
    }

    /** Whether an id was remembered within the window. */
    public boolean contains(String id, Instant now) {
        long millis = now.toEpochMilli();
        forget(millis);
        hash.of(id);
        for (var generation : newestFirst) {
            long at = generation.find();
            if (at != IdTable.ABSENT) {
                return millis - at < windowMillis;
            }
        }
        return false;
    }

    /** Gives the memory of ids back whose window is over; to be called now and then. */
    public void forget(Instant now) {
        forget(now.toEpochMilli());
    }

    /** How many ids are remembered. */
    public long size() {
        return newestFirst.stream().mapToLong(generation -> generation.size).sum();
    }

    /** Forgets everything; from now on nothing is remembered. */
    @Override
    public void close() {
        closed = true;
        budget.give(reserved + size());
        reserved = 0;
        newestFirst.clear();
    }

    private void forget(long millis) {
        for (var oldest = newestFirst.peekLast();
                oldest != null && millis - oldest.endMillis >= windowMillis;
                oldest = newestFirst.peekLast()) {
            newestFirst.removeLast();
            budget.give(oldest.size);
        }
    }

    private Generation current(long millis) {
        var newest = newestFirst.peekFirst();
        if (newest == null || millis >= newest.endMillis) {
            newest = new Generation(millis);
            newestFirst.addFirst(newest);
        }
        return newest;
    }

    /** The ids of one stretch of time. */
    private final class Generation {
        private final long beginMillis;
        private final long endMillis;
        private final IdTable[] tables = new IdTable[TABLES];
        private long size;

        Generation(long beginMillis) {
            this.beginMillis = beginMillis;
            this.endMillis = beginMillis + generationMillis;
            for (int i = 0; i < TABLES; i++) {
                tables[i] = new IdTable();
            }
        }

        /** Adds the id that was hashed last; false when it was there and is only renewed. */
        boolean add(long millis) {
            long sinceBegin = Math.max(0, millis - beginMillis);
            long time = Math.ceilDiv(sinceBegin, grainMillis);
            boolean added = table().put(hash.high(), hash.low(), time);
            if (added) {
                size++;
            }
            return added;
        }

        /** When the id that was hashed last was remembered, or {@link IdTable#ABSENT}. */
        long find() {
            long time = table().find(hash.high(), hash.low());
            return time == IdTable.ABSENT ? time : beginMillis + time * grainMillis;
        }

        private IdTable table() {
            return tables[(int) (hash.low() >>> 60)];
        }
    }
}
