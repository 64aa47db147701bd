package dev.perigee.gateway.partition;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;

/**
 * Things to do later, for one thread. Rounded up to a grain, so that many deadlines share an entry
 * and cancelling costs next to nothing. Pure.
 */
final class Timers {
    private static final long GRAIN_MILLIS = 20;

    private final InstantSource clock;
    private final TreeMap<Long, Set<Entry>> due = new TreeMap<>();

    Timers(InstantSource clock) {
        this.clock = clock;
    }

    /** Something that was put off. */
    final class Entry {
        private final long grain;
        private final Runnable work;

        private Entry(long grain, Runnable work) {
            this.grain = grain;
            this.work = work;
        }

        /** Not any more; without effect when it ran already. */
        void cancel() {
            var bucket = due.get(grain);
            if (bucket != null && bucket.remove(this) && bucket.isEmpty()) {
                due.remove(grain);
            }
        }
    }

    /** Runs the work at that moment, or at once when it has passed, in {@link #run}. */
    Entry at(Instant moment, Runnable work) {
        long grain = Math.floorDiv(moment.toEpochMilli() + GRAIN_MILLIS - 1, GRAIN_MILLIS);
        var entry = new Entry(grain, work);
        due.computeIfAbsent(grain, _ -> new LinkedHashSet<>()).add(entry);
        return entry;
    }

    Entry after(Duration delay, Runnable work) {
        return at(clock.instant().plus(delay), work);
    }

    /** How long until something is due, at most {@code atMost}. */
    Duration untilNext(Duration atMost) {
        if (due.isEmpty()) {
            return atMost;
        }
        long millis = due.firstKey() * GRAIN_MILLIS - clock.millis();
        return millis <= 0 ? Duration.ZERO : Duration.ofMillis(Math.min(millis, atMost.toMillis()));
    }

    /** Runs what is due. */
    void run() {
        while (!due.isEmpty() && due.firstKey() * GRAIN_MILLIS <= clock.millis()) {
            var bucket = due.firstEntry().getValue();
            var entry = bucket.iterator().next();
            entry.cancel();
            entry.work.run();
        }
    }
}
