package dev.perigee.bench.density;

import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.CommandClient;
import dev.perigee.bench.fleet.CpuReading;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.FleetShape;
import dev.perigee.bench.fleet.JvmProbe;
import dev.perigee.bench.fleet.Users;
import dev.perigee.bench.report.BenchProgress;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Measures what idle instances cost, as the difference between a worker with some and the same
 * worker with many. Two fleets: in one they go on running, in the other they become dormant.
 */
public final class DensityBench {
    /** Installed before the first look: what the first ones load and compile is not theirs. */
    private static final int FIRST = 20;

    private static final int PARTITIONS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** So often each second is it looked for idle instances that the CPU time of a look shows. */
    private static final int LOOKS_PER_SECOND = 50;

    private static final Duration LOOKING = Duration.ofSeconds(4);

    /** Looked at, and never idle for long enough. */
    private static final Map<String, String> RUNNING =
            Map.of("idle.timeout", "1h", "idle.check-interval", 1000 / LOOKS_PER_SECOND + "ms");

    private static final Map<String, String> DORMANT =
            Map.of("idle.timeout", "1ms", "idle.grace", "0s", "idle.check-interval", "250ms");

    private final EchoProgram server;
    private final BenchProgress progress;

    private DensityBench(EchoProgram server, BenchProgress progress) {
        this.server = server;
        this.progress = progress;
    }

    /** How long it takes, about. */
    public static double seconds(int instances) {
        return 2 * (8 + instances * 0.012) + 2 * BenchProgress.seconds(LOOKING);
    }

    /** For so many instances each: {@code running} and {@code dormant}. */
    public static Map<String, Density> run(
            int instances, EchoProgram server, BenchProgress progress)
            throws IOException, InterruptedException {
        var bench = new DensityBench(server, progress);
        var found = new LinkedHashMap<String, Density>();
        found.put("running", bench.measure(instances, RUNNING, false));
        found.put("dormant", bench.measure(instances, DORMANT, true));
        return found;
    }

    private Density measure(int instances, Map<String, String> settings, boolean dormant)
            throws IOException, InterruptedException {
        progress.step("Starting a fleet", 8);
        try (var fleet = BenchFleet.start(FleetShape.small(PARTITIONS, settings), progress::note);
                var commands = CommandClient.connect(fleet);
                var worker = JvmProbe.attach(fleet.pid("worker-1"));
                var gateway = JvmProbe.attach(fleet.pid("gateway-1"))) {
            install(commands, 0, FIRST, dormant);
            double lookBefore = dormant ? 0 : look(fleet);
            var before = Footprint.of(fleet, worker, gateway);
            progress.step(
                    "Installing " + instances + (dormant ? " dormant" : " running") + " instances",
                    instances * 0.012);
            install(commands, FIRST, FIRST + instances, dormant);
            double look = dormant ? 0 : look(fleet) - lookBefore;
            return Footprint.of(fleet, worker, gateway).since(before, instances, look);
        }
    }

    private void install(CommandClient commands, int from, int to, boolean dormant)
            throws IOException, InterruptedException {
        var users = Users.first(to).subList(from, to);
        var sleeping =
                dormant
                        ? users.stream()
                                .map(user -> commands.dormant(server.installedFor(user)))
                                .toList()
                        : List.<CompletableFuture<Long>>of();
        commands.install(server, users, PATIENCE);
        for (var each : sleeping) {
            CommandClient.await(each, PATIENCE.toNanos(), "a dormant instance");
        }
    }

    /** CPU time of the worker for each look, while nothing else happens. */
    private double look(BenchFleet fleet) throws InterruptedException {
        var pids = List.of(fleet.pid("worker-1"));
        progress.step("Looking for idle instances", BenchProgress.seconds(LOOKING));
        var before = CpuReading.of(pids);
        Thread.sleep(LOOKING); // What is measured is a worker that is left alone.
        long nanos = CpuReading.of(pids).nanosSince(before);
        return nanos
                / (double) TimeUnit.MICROSECONDS.toNanos(1)
                / (BenchProgress.seconds(LOOKING) * LOOKS_PER_SECOND);
    }
}
