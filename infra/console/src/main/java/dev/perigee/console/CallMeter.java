package dev.perigee.console;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rate, failures and latencies of the calls of the last minute, as they are reported on
 * request-logs. Of fixed size: slots of ten seconds with a histogram each, whose buckets are at
 * most an eighth wide. For the board's lock.
 */
final class CallMeter {
    /** What the rates are of. */
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final long SLOT_SECONDS = 10;
    private static final int SLOTS_OF_WINDOW = (int) (WINDOW.toSeconds() / SLOT_SECONDS);
    private static final int SLOTS = 2 * SLOTS_OF_WINDOW;
    private static final int EXACT = 16;
    private static final int PARTS = 8;
    private static final int MAX_BITS = 32;
    private static final int BUCKETS = EXACT + (MAX_BITS - 4) * PARTS;

    private final Slot[] slots = new Slot[SLOTS];
    private long newest;

    private static final class Slot {
        private long number = -1;
        private long failed;
        private final long[] buckets = new long[BUCKETS];
    }

    /**
     * Calls of the last minute.
     *
     * @param perSecond how many were answered, a second
     * @param failed share of those that had no answer or an error of their server, 0 to 1
     * @param p50Ms half took no longer, by the worker; null where there was no call
     * @param p99Ms of a hundred 99 took no longer
     */
    record Rates(double perSecond, double failed, @Nullable Long p50Ms, @Nullable Long p99Ms) {
        static final Rates NONE = new Rates(0, 0, null, null);
    }

    /**
     * A meter of nothing.
     *
     * @param now calls that are later than this, and than the last asking, are of a wrong clock
     */
    CallMeter(Instant now) {
        newest = number(now);
        Arrays.setAll(slots, _ -> new Slot());
    }

    private static long number(Instant at) {
        return Math.floorDiv(at.getEpochSecond(), SLOT_SECONDS);
    }

    /** Counts a call, by the worker's clock; what is not of these minutes changes nothing. */
    void add(Instant at, long millis, boolean success) {
        long number = number(at);
        var slot = slots[(int) Math.floorMod(number, (long) SLOTS)];
        if (number < slot.number || number > newest + 1) {
            return;
        }
        if (number > slot.number) {
            slot.number = number;
            slot.failed = 0;
            Arrays.fill(slot.buckets, 0);
        }
        slot.buckets[bucket(millis)]++;
        if (!success) {
            slot.failed++;
        }
    }

    /** Of the last minute, in whole slots: calls of the last ten seconds may be missing. */
    Rates rates(Instant now) {
        long current = number(now);
        newest = current;
        var sum = new long[BUCKETS];
        long failed = 0;
        for (var slot : slots) {
            if (slot.number < current && slot.number >= current - SLOTS_OF_WINDOW) {
                failed += slot.failed;
                for (int at = 0; at < BUCKETS; at++) {
                    sum[at] += slot.buckets[at];
                }
            }
        }
        long calls = Arrays.stream(sum).sum();
        return calls == 0
                ? Rates.NONE
                : new Rates(
                        (double) calls / WINDOW.toSeconds(),
                        (double) failed / calls,
                        quantile(sum, calls, 0.50),
                        quantile(sum, calls, 0.99));
    }

    private static long quantile(long[] buckets, long calls, double share) {
        long rank = Math.max(1, (long) Math.ceil(share * calls));
        long seen = 0;
        for (int at = 0; at < BUCKETS; at++) {
            seen += buckets[at];
            if (seen >= rank) {
                return largest(at);
            }
        }
        return largest(BUCKETS - 1);
    }

    private static int bucket(long millis) {
        long value = Math.clamp(millis, 0, (1L << MAX_BITS) - 1);
        if (value < EXACT) {
            return (int) value;
        }
        int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
        int part = (int) (value >>> (bits - 3)) & (PARTS - 1);
        return EXACT + (bits - 4) * PARTS + part;
    }

    /** The largest value of a bucket. */
    private static long largest(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int bits = (bucket - EXACT) / PARTS + 4;
        int part = (bucket - EXACT) % PARTS;
        return ((long) (PARTS + part + 1) << (bits - 3)) - 1;
    }
}
