package dev.perigee.bench.growth;

import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.CommandClient;
import dev.perigee.bench.fleet.CpuReading;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.FleetShape;
import dev.perigee.bench.fleet.JvmProbe;
import dev.perigee.bench.fleet.Users;
import dev.perigee.bench.load.EchoPath;
import dev.perigee.bench.load.KafkaEcho;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.load.LoadDriver;
import dev.perigee.bench.load.LoadFleetClient;
import dev.perigee.bench.report.BenchProgress;
import dev.perigee.bench.stat.Spread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures the same calls in fleets of growing size: more and more instances in one, then fleets
 * with more partitions. Each instance has a user of its own, and calls go to all in turn, by turns
 * with bare Kafka over the same keys and as many partitions. Used by one thread.
 */
public final class GrowthBench {
    private static final int FEW_PARTITIONS = 8;
    private static final int TIMES = 3;
    private static final Load LOAD = new Load.InFlight(64);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final GrowthPlan plan;
    private final EchoProgram server;
    private final BenchProgress progress;
    private final List<GrowthRow> rows = new ArrayList<>();

    private GrowthBench(GrowthPlan plan, EchoProgram server, BenchProgress progress) {
        this.plan = plan;
        this.server = server;
        this.progress = progress;
    }

    /** How long it takes, about. */
    public static double seconds(GrowthPlan plan) {
        int points = plan.instances().size() + plan.partitions().size();
        int most = plan.instances().stream().mapToInt(count -> count).max().orElse(0);
        return points * 2 * TIMES * BenchProgress.seconds(plan.time())
                + (1 + plan.partitions().size()) * (10.0 + 2 * BenchProgress.seconds(plan.warmup()))
                + 0.012 * (most + plan.partitions().size() * plan.partitionInstances());
    }

    /** A row for each size, those of one fleet first. */
    public static List<GrowthRow> run(GrowthPlan plan, EchoProgram server, BenchProgress progress)
            throws IOException, InterruptedException {
        var bench = new GrowthBench(plan, server, progress);
        bench.fleet(FEW_PARTITIONS, plan.instances());
        for (int partitions : plan.partitions()) {
            bench.fleet(partitions, List.of(plan.partitionInstances()));
        }
        return List.copyOf(bench.rows);
    }

    private void fleet(int partitions, List<Integer> sizes)
            throws IOException, InterruptedException {
        progress.step("Starting a fleet with " + partitions + " partitions", 8);
        try (var fleet = BenchFleet.start(FleetShape.busy(partitions), progress::note);
                var commands = CommandClient.connect(fleet);
                var client = LoadFleetClient.connect(fleet.bootstrap(), fleet.topics());
                var worker = JvmProbe.attach(fleet.pid("worker-1"))) {
            var parts = List.of(fleet.pid("gateway-1"), fleet.pid("worker-1"));
            commands.install(server, Users.first(1), PATIENCE);
            progress.step("Warming up", 2 + 2 * BenchProgress.seconds(plan.warmup()));
            driver(client.path(Users.first(1), server.slug())).run(LOAD, plan.warmup());
            try (var bare = bare(fleet, partitions, client)) {
                driver(bare.path(Users.first(1))).run(LOAD, plan.warmup());
                int present = 1;
                for (int size : sizes) {
                    progress.step(
                            "Growth, %d instances, %d partitions".formatted(size, partitions),
                            0.012 * (size - present)
                                    + 2 * TIMES * BenchProgress.seconds(plan.time()));
                    long heap = worker.liveHeapBytes();
                    var before = CpuReading.of(parts);
                    var added = Users.first(size).subList(present, size);
                    long nanos = commands.install(server, added, PATIENCE);
                    long cpu = CpuReading.of(parts).nanosSince(before);
                    long heapLater = worker.liveHeapBytes();
                    rows.add(
                            row(
                                    size,
                                    partitions,
                                    millis(nanos) / added.size(),
                                    millis(cpu) * 1000 / added.size(),
                                    (heapLater - heap) / (double) added.size(),
                                    driver(client.path(Users.first(size), server.slug())),
                                    driver(bare.path(Users.first(size))),
                                    parts));
                    present = size;
                }
            }
        }
    }

    private static KafkaEcho bare(BenchFleet fleet, int partitions, LoadFleetClient client)
            throws IOException, InterruptedException {
        return KafkaEcho.bare(
                new KafkaEcho.Place(
                        fleet.bootstrap(),
                        "bench",
                        partitions,
                        client.shape(),
                        BenchFleet.flags()));
    }

    private static LoadDriver driver(EchoPath path) {
        return new LoadDriver(path, PATIENCE);
    }

    private GrowthRow row(
            int instances,
            int partitions,
            double installMillis,
            double installCpuMicros,
            double heapBytes,
            LoadDriver whole,
            LoadDriver bare,
            List<Long> parts)
            throws InterruptedException {
        var perSecond = new ArrayList<Double>();
        var p50 = new ArrayList<Double>();
        var micros = new ArrayList<Double>();
        var bareSecond = new ArrayList<Double>();
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < TIMES; i++) {
            double bareCalls = bare.run(LOAD, plan.time()).perSecond();
            bareSecond.add(bareCalls);
            var before = CpuReading.of(parts);
            var latencies = whole.run(LOAD, plan.time());
            long cpu = CpuReading.of(parts).nanosSince(before);
            perSecond.add(latencies.perSecond());
            ratios.add(latencies.perSecond() / bareCalls);
            p50.add(latencies.p50Millis());
            micros.add(millis(cpu) * 1000 / latencies.calls());
        }
        return new GrowthRow(
                instances,
                partitions,
                installMillis,
                installCpuMicros,
                heapBytes,
                Spread.of(perSecond),
                Spread.of(p50),
                Spread.of(micros),
                Spread.of(bareSecond),
                Spread.of(ratios));
    }

    private static double millis(long nanos) {
        return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
