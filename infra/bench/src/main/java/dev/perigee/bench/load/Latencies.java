package dev.perigee.bench.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AbstractHistogram;

/**
 * Latencies of the calls of one run.
 *
 * <p>A closed loop omits what it does not send: while an answer is late, the calls that its slot
 * would have sent are neither sent nor measured, so that a stall counts once where users would have
 * met it many times (coordinated omission). The percentiles are therefore those of the histogram
 * corrected by the mean time between two calls of a slot: an answer that took n times as long adds
 * the calls that it kept from being sent. An open loop omits nothing and is not corrected.
 *
 * @param uncorrectedP99Millis the same as p99Millis of what was really sent
 * @param perSecond answers a second
 */
public record Latencies(
        double p50Millis,
        double p99Millis,
        double p999Millis,
        double uncorrectedP99Millis,
        double perSecond,
        long calls) {

    static Latencies of(AbstractHistogram measured, long elapsedNanos, Load load) {
        long calls = measured.getTotalCount();
        var corrected =
                switch (load) {
                    case Load.InFlight(int count) ->
                            measured.copyCorrectedForCoordinatedOmission(
                                    Math.max(1, elapsedNanos * count / Math.max(1, calls)));
                    case Load.Rate _ -> measured;
                };
        return new Latencies(
                millis(corrected, 50),
                millis(corrected, 99),
                millis(corrected, 99.9),
                millis(measured, 99),
                calls * (double) TimeUnit.SECONDS.toNanos(1) / elapsedNanos,
                calls);
    }

    private static double millis(AbstractHistogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile)
                / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
