package dev.perigee.bench;

import dev.perigee.bench.call.CallRow;
import dev.perigee.bench.call.Sample;
import dev.perigee.bench.call.Way;
import dev.perigee.bench.growth.GrowthRow;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.report.Chart;
import dev.perigee.bench.stat.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/** Charts of a run. Pure. */
final class Charts {
    private static final int FEW_PARTITIONS = 8;

    private Charts() {}

    /** Of calls: time and rate over calls in flight, one line for each way. */
    static List<Chart> ofCalls(List<CallRow> rows) {
        return List.of(
                chart("p50, ms, by calls in flight", rows, each -> each.latencies().p50Millis()),
                chart("p99, ms, by calls in flight", rows, each -> each.latencies().p99Millis()),
                chart("Calls/s by calls in flight", rows, each -> each.latencies().perSecond()),
                chart(
                        "CPU of gateway + worker (bare: replier), µs a call",
                        rows.stream().filter(row -> row.way() != Way.BARE_PIPE).toList(),
                        Charts::ownMicros));
    }

    private static double ownMicros(Sample sample) {
        var micros = sample.cpuMicros();
        return micros.getOrDefault("gateway", 0.0)
                + micros.getOrDefault("worker", 0.0)
                + micros.getOrDefault("replier", 0.0);
    }

    private static Chart chart(String title, List<CallRow> rows, ToDoubleFunction<Sample> value) {
        var places = new ArrayList<String>();
        var lines = new LinkedHashMap<String, List<Spread>>();
        for (var row : rows) {
            if (row.users() == 1 && row.load() instanceof Load.InFlight(int count)) {
                if (!places.contains(Integer.toString(count))) {
                    places.add(Integer.toString(count));
                }
                lines.computeIfAbsent(name(row), _ -> new ArrayList<>()).add(row.spread(value));
            }
        }
        return new Chart(title, places, lines);
    }

    private static String name(CallRow row) {
        return row.server().isEmpty() ? row.way().label() : row.way().label() + ", " + row.server();
    }

    /**
     * Of growth: what a call and an instance cost, over instances and over partitions. The second
     * begins with the fleet of few partitions that has as many instances.
     */
    static List<Chart> ofGrowth(List<GrowthRow> rows) {
        var large =
                rows.stream()
                        .filter(row -> row.partitions() > FEW_PARTITIONS)
                        .map(GrowthRow::instances)
                        .toList();
        return List.of(
                growth(
                        "CPU µs by instances",
                        rows,
                        row -> row.partitions() == FEW_PARTITIONS,
                        GrowthRow::instances),
                growth(
                        "CPU µs by partitions",
                        rows,
                        row -> large.contains(row.instances()),
                        GrowthRow::partitions));
    }

    private static Chart growth(
            String title,
            List<GrowthRow> rows,
            Predicate<GrowthRow> which,
            ToIntFunction<GrowthRow> place) {
        var chosen = rows.stream().filter(which).toList();
        var lines = new LinkedHashMap<String, List<Spread>>();
        lines.put("a call", chosen.stream().map(GrowthRow::callCpuMicros).toList());
        lines.put(
                "a start",
                chosen.stream().map(row -> Spread.of(List.of(row.installCpuMicros()))).toList());
        return new Chart(
                title,
                chosen.stream().map(row -> Integer.toString(place.applyAsInt(row))).toList(),
                lines);
    }
}
