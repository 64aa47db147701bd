package dev.perigee.local.behaviour;

/**
 * Distribution of durations in buckets that are 10 % wide: percentiles are exact to that. Fixed
 * size. For one thread.
 */
final class DurationHistogram {
    private static final double WIDTH = 1.1;
    private static final int BUCKETS = 200;

    private final long[] buckets = new long[BUCKETS];
    private long count;

    void add(long millis) {
        buckets[bucket(millis)]++;
        count++;
    }

    private static int bucket(long millis) {
        if (millis < 1) {
            return 0;
        }
        return Math.min(BUCKETS - 1, 1 + (int) (Math.log((double) millis) / Math.log(WIDTH)));
    }

    long count() {
        return count;
    }

    /** Below which value this part of all is, in milliseconds; 0 when there is none. */
    long percentile(double part) {
        long wanted = (long) Math.ceil(part * count);
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += buckets[i];
            if (seen >= wanted && seen > 0) {
                return Math.round(i == 0 ? 0 : Math.pow(WIDTH, i - 0.5));
            }
        }
        return 0;
    }
}
