package dev.perigee.console;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The newest entries of one kind of one instance. Each has the board's version at which it came, so
 * that a viewer who knows everything up to some version can get the rest. Guarded by the board's
 * lock.
 */
final class Ring<E extends Entry> {
    private final int max;
    private final Budget budget;
    private final ArrayDeque<Kept> entries = new ArrayDeque<>();
    private RecordId newest = RecordId.NONE;
    private long dropped;
    private long droppedUpTo;

    Ring(int max, Budget budget) {
        this.max = max;
        this.budget = budget;
    }

    /** Equal to itself only: the same entry may be there twice. */
    private final class Kept implements Budget.Held {
        private final long version;
        private final E entry;

        Kept(long version, E entry) {
            this.version = version;
            this.entry = entry;
        }

        @Override
        public void dropOldest() {
            Ring.this.dropOldest();
        }

        @Override
        public int bytes() {
            return entry.bytes();
        }
    }

    /**
     * Entries for a viewer.
     *
     * @param dropped how many older entries there were
     * @param gap whether some that the viewer did not get are among them
     */
    record Slice<E>(List<E> entries, long dropped, boolean gap) {}

    /** Whether a record is new; one that was published twice is not, the second time. */
    boolean isNew(RecordId record) {
        if (!record.isAfter(newest)) {
            return false;
        }
        newest = record;
        return true;
    }

    void add(E entry, long version) {
        var kept = new Kept(version, entry);
        entries.addLast(kept);
        budget.take(kept);
        if (entries.size() > max) {
            dropOldest();
        }
    }

    void dropOldest() {
        var kept = entries.pollFirst();
        if (kept != null) {
            budget.release(kept);
            dropped++;
            droppedUpTo = kept.version;
        }
    }

    void clear() {
        entries.forEach(budget::release);
        entries.clear();
    }

    /** What came after a version, oldest first. */
    Slice<E> after(long version) {
        var found = new ArrayList<E>();
        for (var each = entries.descendingIterator(); each.hasNext(); ) {
            var kept = each.next();
            if (kept.version <= version) {
                break;
            }
            found.add(kept.entry);
        }
        Collections.reverse(found);
        return new Slice<>(found, dropped, version > 0 && droppedUpTo > version);
    }
}
