package dev.perigee.bench;

import dev.perigee.bench.boundary.BoundaryBench;
import dev.perigee.bench.boundary.BoundaryRow;
import dev.perigee.bench.call.CallBench;
import dev.perigee.bench.call.CallReport;
import dev.perigee.bench.call.Ratios;
import dev.perigee.bench.density.Density;
import dev.perigee.bench.density.DensityBench;
import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.FleetShape;
import dev.perigee.bench.growth.GrowthBench;
import dev.perigee.bench.growth.GrowthRow;
import dev.perigee.bench.lifecycle.LifecycleBench;
import dev.perigee.bench.report.BenchProgress;
import dev.perigee.bench.report.TextTable;
import dev.perigee.bench.stat.Spread;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** One run of some sections, one after another. Used by one thread. */
final class Run {
    private static final double KIBIBYTE = 1024;

    /** For what is found by these names; those of calls are ratios. */
    private static final Map<String, String> GOALS =
            Map.of(
                    "spawn_overhead_ms", "<= 15",
                    "worker_start_ms", "<= 1500",
                    "running", "<= 150",
                    "dormant", "<= 8",
                    "boundary_start_ms", "<= 25");

    private final Plans plans;
    private final EchoProgram trivial;
    private final BenchProgress progress;
    private final Findings findings;

    Run(Plans plans, EchoProgram trivial, BenchProgress progress, Findings findings) {
        this.plans = plans;
        this.trivial = trivial;
        this.progress = progress;
        this.findings = findings;
    }

    /** Measures; each section's findings are there when it is done. */
    void measure(Set<Section> sections) throws IOException, InterruptedException {
        sections.forEach(section -> progress.plan(seconds(section)));
        for (var section : sections) {
            switch (section) {
                case CALLS -> calls();
                case LIFECYCLE -> lifecycle();
                case DENSITY -> density();
                case BOUNDARY -> boundary();
                case GROWTH -> growth();
                case MICRO -> {} // Needs no fleet, see Bench.
            }
        }
    }

    private double seconds(Section section) {
        return switch (section) {
            case CALLS -> CallBench.seconds(plans.calls());
            case LIFECYCLE -> LifecycleBench.seconds(plans.lifecycle());
            case DENSITY -> DensityBench.seconds(plans.densityInstances());
            case BOUNDARY -> BoundaryBench.seconds(plans.boundary());
            case GROWTH -> GrowthBench.seconds(plans.growth());
            case MICRO -> 0;
        };
    }

    private void calls() throws IOException, InterruptedException {
        progress.step("Starting a broker, a gateway and a worker", 4);
        var shape = FleetShape.busy(CallBench.PARTITIONS);
        try (var fleet = BenchFleet.start(shape, progress::note)) {
            var rows = CallBench.run(plans.calls(), fleet, trivial, progress);
            var ratios = Ratios.of(rows);
            var values = new LinkedHashMap<String, Double>();
            ratios.forEach((name, ratio) -> values.put(name, ratio.value().median()));
            findings.put("ratios", values);
            findings.put("ratio_details", ratios);
            findings.put("calls", CallReport.json(rows));
            findings.table("Calls: median (lowest..highest round)", CallReport.table(rows));
            findings.table("Ratios", CallReport.table(ratios));
            findings.charts(Charts.ofCalls(rows));
        }
    }

    private void lifecycle() throws IOException, InterruptedException {
        var found = LifecycleBench.run(plans.lifecycle(), trivial, progress);
        findings.put("lifecycle", found);
        var table = new TextTable("what", "median (of rounds)", "goal");
        found.forEach(
                (name, spread) ->
                        table.row(List.of(name, spread.text(1), GOALS.getOrDefault(name, ""))));
        findings.table("Life cycle", table.text());
    }

    private void density() throws IOException, InterruptedException {
        var found = DensityBench.run(plans.densityInstances(), trivial, progress);
        findings.put("density", found);
        var table =
                new TextTable(
                        "idle",
                        "instances",
                        "worker heap KiB",
                        "goal",
                        "worker RSS KiB",
                        "threads added",
                        "gateway heap KiB",
                        "per GiB",
                        "scan of all, ms CPU");
        found.forEach((name, each) -> table.row(row(name, each)));
        findings.table("Density, each instance", table.text());
    }

    private static List<String> row(String name, Density density) {
        return List.of(
                name,
                Integer.toString(density.instances()),
                number(density.workerHeapBytes() / KIBIBYTE),
                GOALS.getOrDefault(name, ""),
                number(density.workerResidentBytes() / KIBIBYTE),
                Integer.toString(density.workerThreads()),
                number(density.gatewayHeapBytes() / KIBIBYTE),
                String.format(Locale.ROOT, "%.0f", density.perGibibyte()),
                String.format(Locale.ROOT, "%.2f", density.scanMicros() / 1000));
    }

    private void boundary() throws IOException, InterruptedException {
        var found = BoundaryBench.run(plans.boundary(), trivial, progress);
        if (found == null) {
            return;
        }
        findings.put("boundary", found);
        var table =
                new TextTable(
                        "boundary",
                        "start ms",
                        "over the bare spawn ms",
                        "memory (PSS) KiB",
                        "call p50 ms",
                        "call p99 ms");
        found.rows().forEach((name, row) -> table.row(row(name, row)));
        findings.table("Boundary, each instance", table.text());
        findings.table(
                "The full boundary over a jail with the host's network, by turns",
                "start: %s ms (goal %s)%n"
                        .formatted(
                                found.addedStartMillis().text(1), GOALS.get("boundary_start_ms")));
    }

    private static List<String> row(String name, BoundaryRow row) {
        var bytes = row.proportionalBytes();
        return List.of(
                name,
                row.startMillis().text(1),
                row.startOverBareMillis().text(1),
                bytes == null ? "not readable" : number(bytes / KIBIBYTE),
                row.callP50Millis().text(2),
                row.callP99Millis().text(2));
    }

    private void growth() throws IOException, InterruptedException {
        var rows = GrowthBench.run(plans.growth(), trivial, progress);
        findings.put("growth", rows);
        var table =
                new TextTable(
                        "instances",
                        "partitions",
                        "calls/s",
                        "bare Kafka calls/s",
                        "of bare",
                        "p50 ms",
                        "CPU µs a call",
                        "start ms",
                        "CPU µs a start",
                        "heap KiB");
        rows.forEach(row -> table.row(row(row)));
        findings.table("Growth, 64 in flight", table.text());
        findings.charts(Charts.ofGrowth(rows));
    }

    private static List<String> row(GrowthRow row) {
        return List.of(
                Integer.toString(row.instances()),
                Integer.toString(row.partitions()),
                row.callsPerSecond().text(0),
                row.bareCallsPerSecond().text(0),
                row.overBare().text(2),
                row.p50Millis().text(2),
                row.callCpuMicros().text(0),
                number(row.installMillis()),
                Spread.of(List.of(row.installCpuMicros())).text(0),
                number(row.workerHeapBytes() / KIBIBYTE));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
