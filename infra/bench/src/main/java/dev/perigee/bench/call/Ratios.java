package dev.perigee.bench.call;

import dev.perigee.bench.load.Load;
import dev.perigee.bench.stat.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Perigee beside what limits it: the figures that mean something on any machine. Each is taken of
 * the measurements of one round, which are seconds apart, and then over the rounds, so that a
 * machine that becomes slower during a run changes none. Pure.
 */
public final class Ratios {
    /** What the gateway and the worker may add to a Kafka client's CPU time per call. */
    private static final double ALLOWED_MICROS = 60;

    private static final String TRIVIAL = "echo";

    /**
     * A ratio and what it should be.
     *
     * @param atMost whether the goal is the most, else the least
     */
    public record Ratio(String meaning, double goal, boolean atMost, Spread value) {
        /** Whether the median is as it should be. */
        public boolean reached() {
            return atMost ? value.median() <= goal : value.median() >= goal;
        }
    }

    private final List<CallRow> rows;

    private Ratios(List<CallRow> rows) {
        this.rows = rows;
    }

    /** The ratios by name, of those loads that were measured. */
    public static Map<String, Ratio> of(List<CallRow> rows) {
        return new Ratios(rows).all();
    }

    private Map<String, Ratio> all() {
        var ratios = new LinkedHashMap<String, Ratio>();
        put(
                ratios,
                "latency_p50_c1",
                "p50 at 1 in flight, Perigee over bare Kafka + bare pipe",
                1.3,
                true,
                1,
                each -> each.overSum(sample -> sample.latencies().p50Millis()));
        put(
                ratios,
                "latency_p99_c16",
                "p99 at 16 in flight, Perigee over bare Kafka + bare pipe",
                2,
                true,
                16,
                each -> each.overSum(sample -> sample.latencies().p99Millis()));
        put(
                ratios,
                "throughput_c64",
                "calls/s at 64 in flight, Perigee over bare Kafka",
                0.7,
                false,
                64,
                each -> each.perigee.latencies().perSecond() / each.kafka.latencies().perSecond());
        put(
                ratios,
                "cpu_per_call",
                "CPU at 64 in flight, gateway + worker over bare replier + 60 µs",
                1,
                true,
                64,
                each ->
                        (each.perigee.cpuMicros().getOrDefault("gateway", 0.0)
                                        + each.perigee.cpuMicros().getOrDefault("worker", 0.0))
                                / (each.kafka.cpuMicros().getOrDefault("replier", 0.0)
                                        + ALLOWED_MICROS));
        return ratios;
    }

    /** One round of one load, three ways. */
    private record Trio(Sample pipe, Sample kafka, Sample perigee) {
        double overSum(ToDoubleFunction<Sample> value) {
            return value.applyAsDouble(perigee)
                    / (value.applyAsDouble(kafka) + value.applyAsDouble(pipe));
        }
    }

    private void put(
            Map<String, Ratio> ratios,
            String name,
            String meaning,
            double goal,
            boolean atMost,
            int inFlight,
            ToDoubleFunction<Trio> value) {
        var found =
                Stream.of(Way.BARE_PIPE, Way.BARE_KAFKA, Way.PERIGEE)
                        .map(way -> row(way, inFlight))
                        .filter(Objects::nonNull)
                        .map(CallRow::rounds)
                        .toList();
        if (found.size() == 3) {
            var values =
                    IntStream.range(0, found.getLast().size())
                            .mapToObj(
                                    round ->
                                            new Trio(
                                                    found.get(0).get(round),
                                                    found.get(1).get(round),
                                                    found.get(2).get(round)))
                            .map(value::applyAsDouble)
                            .toList();
            ratios.put(name, new Ratio(meaning, goal, atMost, Spread.of(values)));
        }
    }

    private @Nullable CallRow row(Way way, int inFlight) {
        return rows.stream()
                .filter(row -> row.way() == way && row.users() == 1)
                .filter(row -> way == Way.BARE_KAFKA || row.server().equals(TRIVIAL))
                .filter(row -> row.load().equals(new Load.InFlight(inFlight)))
                .findFirst()
                .orElse(null);
    }
}
