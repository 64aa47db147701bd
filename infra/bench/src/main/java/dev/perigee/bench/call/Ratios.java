package dev.perigee.bench.call;

import dev.perigee.bench.load.Load;
import dev.perigee.bench.stat.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
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
     * @param floor what it is of the bare relay instead of Perigee: without any promise; null where
     *     that was not measured
     */
    public record Ratio(
            String meaning, double goal, boolean atMost, Spread value, @Nullable Spread floor) {
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
                Trio::throughput);
        put(
                ratios,
                "throughput_c256",
                "calls/s at 256 in flight, Perigee over bare Kafka",
                0.4,
                false,
                256,
                Trio::throughput);
        putManyUsers(ratios);
        put(
                ratios,
                "cpu_per_call",
                "CPU at 64 in flight, gateway + worker over bare replier + 60 µs",
                1,
                true,
                64,
                each ->
                        (each.whole.cpuMicros().getOrDefault("gateway", 0.0)
                                        + each.whole.cpuMicros().getOrDefault("worker", 0.0))
                                / (each.kafka.cpuMicros().getOrDefault("replier", 0.0)
                                        + ALLOWED_MICROS));
        return ratios;
    }

    /** Of the most users that were measured, beside bare Kafka over as many keys. */
    private void putManyUsers(Map<String, Ratio> ratios) {
        int users =
                rows.stream()
                        .filter(row -> row.way() == Way.BARE_KAFKA)
                        .mapToInt(CallRow::users)
                        .max()
                        .orElse(1);
        var whole = users > 1 ? spread(Way.PERIGEE, users, 64, Trio::throughput) : null;
        if (whole != null) {
            ratios.put(
                    "throughput_c64_users",
                    new Ratio(
                            "calls/s at 64 in flight of %d users, over bare Kafka with their keys"
                                    .formatted(users),
                            0.45,
                            false,
                            whole,
                            null));
        }
    }

    /** One round of one load, three ways. */
    private record Trio(Sample pipe, Sample kafka, Sample whole) {
        double throughput() {
            return whole.latencies().perSecond() / kafka.latencies().perSecond();
        }

        double overSum(ToDoubleFunction<Sample> value) {
            return value.applyAsDouble(whole)
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
        var whole = spread(Way.PERIGEE, 1, inFlight, value);
        if (whole != null) {
            var floor = spread(Way.BARE_RELAY, 1, inFlight, value);
            ratios.put(name, new Ratio(meaning, goal, atMost, whole, floor));
        }
    }

    /** Null where one of its ways was not measured. */
    private @Nullable Spread spread(
            Way way, int users, int inFlight, ToDoubleFunction<Trio> value) {
        var pipe = row(Way.BARE_PIPE, 1, inFlight);
        var kafka = row(Way.BARE_KAFKA, users, inFlight);
        var whole = row(way, users, inFlight);
        if (pipe == null || kafka == null || whole == null) {
            return null;
        }
        return Spread.of(
                IntStream.range(0, whole.rounds().size())
                        .mapToObj(
                                round ->
                                        new Trio(
                                                pipe.rounds().get(round),
                                                kafka.rounds().get(round),
                                                whole.rounds().get(round)))
                        .map(value::applyAsDouble)
                        .toList());
    }

    private @Nullable CallRow row(Way way, int users, int inFlight) {
        return rows.stream()
                .filter(row -> row.way() == way && row.users() == users)
                .filter(row -> way == Way.BARE_KAFKA || row.server().equals(TRIVIAL))
                .filter(row -> row.load().equals(new Load.InFlight(inFlight)))
                .findFirst()
                .orElse(null);
    }
}
