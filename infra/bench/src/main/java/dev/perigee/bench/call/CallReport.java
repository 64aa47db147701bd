package dev.perigee.bench.call;

import dev.perigee.bench.load.Load;
import dev.perigee.bench.report.TextTable;
import dev.perigee.bench.stat.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Report on calls: tables for people, maps for JSON. */
public final class CallReport {
    private static final List<String> PARTS =
            List.of("client", "broker", "replier", "gateway", "worker", "server");
    private static final List<String> JVMS = List.of("replier", "gateway", "worker");
    private static final double KIBIBYTE = 1024;

    private CallReport() {}

    /** Two tables: of time, and of what each call cost. */
    public static String table(List<CallRow> rows) {
        var times =
                new TextTable(
                        "way",
                        "server",
                        "users",
                        "load",
                        "p50 ms",
                        "p99 ms",
                        "p99.9 ms",
                        "calls/s");
        var costs =
                new TextTable(
                        "way",
                        "server",
                        "users",
                        "load",
                        "client",
                        "broker",
                        "replier",
                        "gateway",
                        "worker",
                        "server",
                        "KiB replier",
                        "gateway",
                        "worker");
        for (var row : rows) {
            var name =
                    List.of(
                            row.way().label(),
                            row.server(),
                            Integer.toString(row.users()),
                            row.load().label());
            var time = new ArrayList<>(name);
            time.add(row.spread(sample -> sample.latencies().p50Millis()).text(2));
            time.add(row.spread(sample -> sample.latencies().p99Millis()).text(2));
            time.add(row.spread(sample -> sample.latencies().p999Millis()).text(1));
            time.add(row.spread(sample -> sample.latencies().perSecond()).text(0));
            times.row(time);
            var cost = new ArrayList<>(name);
            PARTS.forEach(part -> cost.add(number(row.cpuMicros(part).median())));
            JVMS.forEach(part -> cost.add(number(row.allocatedBytes(part).median() / KIBIBYTE)));
            costs.row(cost);
        }
        return times.text() + "\nCPU µs and KiB allocated, per call:\n" + costs.text();
    }

    private static String number(double value) {
        return value == 0 ? "" : String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }

    /** A line for each ratio. */
    public static String table(Map<String, Ratios.Ratio> ratios) {
        var table = new TextTable("ratio", "median (of rounds)", "goal", "", "bare relay", "of");
        ratios.forEach(
                (name, ratio) ->
                        table.row(
                                List.of(
                                        name,
                                        ratio.value().text(2),
                                        (ratio.atMost() ? "<= " : ">= ")
                                                + String.format(Locale.ROOT, "%.1f", ratio.goal()),
                                        ratio.reached() ? "reached" : "missed",
                                        ratio.floor() == null ? "" : ratio.floor().text(2),
                                        ratio.meaning())));
        return table.text();
    }

    /** One object for each row. */
    public static List<Map<String, Object>> json(List<CallRow> rows) {
        return rows.stream().map(CallReport::json).toList();
    }

    private static Map<String, Object> json(CallRow row) {
        var json = new LinkedHashMap<String, Object>();
        json.put("way", row.way().label());
        json.put("server", row.server());
        json.put("users", row.users());
        switch (row.load()) {
            case Load.InFlight(int count) -> json.put("in_flight", count);
            case Load.Rate(int perSecond) -> json.put("rate_per_second", perSecond);
        }
        json.put("p50_ms", row.spread(sample -> sample.latencies().p50Millis()));
        json.put("p99_ms", row.spread(sample -> sample.latencies().p99Millis()));
        json.put("p99_9_ms", row.spread(sample -> sample.latencies().p999Millis()));
        json.put(
                "p99_uncorrected_ms",
                row.spread(sample -> sample.latencies().uncorrectedP99Millis()));
        json.put("calls_per_second", row.spread(sample -> sample.latencies().perSecond()));
        json.put("cpu_us_per_call", spreads(PARTS, row::cpuMicros));
        json.put("allocated_bytes_per_call", spreads(JVMS, row::allocatedBytes));
        return json;
    }

    private static Map<String, Spread> spreads(List<String> parts, Function<String, Spread> of) {
        var spreads = new LinkedHashMap<String, Spread>();
        for (var part : parts) {
            var spread = of.apply(part);
            if (spread.max() > 0) {
                spreads.put(part, spread);
            }
        }
        return spreads;
    }
}
