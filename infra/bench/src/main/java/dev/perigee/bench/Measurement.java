package dev.perigee.bench;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What one load on one path showed.
 *
 * @param perSecond answers a second
 */
record Measurement(double p50Millis, double p99Millis, double perSecond) {
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    static Measurement of(Histogram latencies, long elapsedNanos) {
        return new Measurement(
                latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
                latencies.getValueAtPercentile(99) / NANOS_PER_MILLI,
                latencies.getTotalCount() * (double) TimeUnit.SECONDS.toNanos(1) / elapsedNanos);
    }
}
