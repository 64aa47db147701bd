package dev.perigee.bench.lifecycle;

import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.CommandClient;
import dev.perigee.bench.fleet.CpuReading;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.FleetShape;
import dev.perigee.bench.fleet.Users;
import dev.perigee.bench.load.CommandEcho;
import dev.perigee.bench.load.EchoPath;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.load.LoadDriver;
import dev.perigee.bench.load.LoadFleetClient;
import dev.perigee.bench.report.BenchProgress;
import dev.perigee.bench.stat.Spread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Measures how long instances take to start, beside a bare spawn, and how long calls wait when a
 * link, a gateway or a worker fails. In a fleet of its own: two gateways, two workers, a network
 * between them that fails to order, idle processes ended after a second. Used by one thread.
 */
public final class LifecycleBench {
    private static final int PARTITIONS = 8;
    private static final int CALLERS = 20;
    private static final int WORKER_STARTS = 3;
    private static final Duration LOOK = Duration.ofMillis(500);

    /** Of a core, for all parts together. */
    private static final double QUIET = 0.15;

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration AWAY = Duration.ofSeconds(2);
    private static final Duration WARMUP = Duration.ofSeconds(2);

    /**
     * Callers' processes are used more often; the others are idle at once. No server is suspected
     * of the deaths of its worker, which is killed in each round.
     */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "quarantine.deaths", "0",
                    "idle.timeout", "1s",
                    "idle.grace", "0s",
                    "idle.check-interval", "100ms");

    private final LifecyclePlan plan;
    private final EchoProgram server;
    private final BenchFleet fleet;
    private final CommandClient commands;
    private final LoadFleetClient client;
    private final BenchProgress progress;
    private final Map<String, List<Double>> found = new LinkedHashMap<>();

    private LifecycleBench(
            LifecyclePlan plan,
            EchoProgram server,
            BenchFleet fleet,
            CommandClient commands,
            LoadFleetClient client,
            BenchProgress progress) {
        this.plan = plan;
        this.server = server;
        this.fleet = fleet;
        this.commands = commands;
        this.client = client;
        this.progress = progress;
    }

    /** How long it takes, about. */
    public static double seconds(LifecyclePlan plan) {
        return 12
                + WORKER_STARTS * 3
                + plan.starts() * 0.05
                + plan.respawns() * 1.4
                + plan.rounds() * 30
                + (plan.workerLoss() ? 50 : 0);
    }

    /** Milliseconds, or counts of failed calls, by name. */
    public static Map<String, Spread> run(
            LifecyclePlan plan, EchoProgram server, BenchProgress progress)
            throws IOException, InterruptedException {
        var shape = new FleetShape(PARTITIONS, 2, 2, true, SETTINGS);
        progress.step("Starting two gateways and two workers", 8);
        try (var fleet = BenchFleet.start(shape, progress::note);
                var commands = CommandClient.connect(fleet);
                var client = LoadFleetClient.connect(fleet.bootstrap(), fleet.topics())) {
            return new LifecycleBench(plan, server, fleet, commands, client, progress).measure();
        }
    }

    private Map<String, Spread> measure() throws IOException, InterruptedException {
        workerStarts();
        var callers = Users.first(CALLERS);
        commands.install(server, callers, PATIENCE);
        var path = client.path(callers, server.slug());
        progress.step("Warming up", 4);
        new LoadDriver(path, PATIENCE).run(new Load.InFlight(16), WARMUP);
        starts();
        respawns();
        for (int round = 0; round < plan.rounds(); round++) {
            faults(path, "round %d of %d".formatted(round + 1, plan.rounds()));
        }
        if (plan.workerLoss()) {
            progress.step("A worker is lost", 50);
            outage("worker_lost", path, () -> fleet.parts().kill("worker-2"));
        }
        var spreads = new LinkedHashMap<String, Spread>();
        found.forEach((name, values) -> spreads.put(name, Spread.of(values)));
        return spreads;
    }

    /** While nothing else happens: from the start of the JVM until it serves the link. */
    private void workerStarts() throws IOException, InterruptedException {
        for (int i = 0; i < WORKER_STARTS; i++) {
            progress.step("Starting a worker", 3);
            fleet.parts().end("worker-2");
            awaitQuiet();
            add("worker_start_ms", millis(startAgain("worker-2")));
        }
    }

    /** Until the other parts have done what they do when a worker leaves, and compiled it. */
    private void awaitQuiet() throws InterruptedException {
        var others =
                Stream.of("broker", "gateway-1", "gateway-2", "worker-1").map(fleet::pid).toList();
        long end = System.nanoTime() + PATIENCE.toNanos();
        long spent;
        do {
            var before = CpuReading.of(others);
            Thread.sleep(LOOK); // There is nothing to wait for but that nothing happens.
            spent = CpuReading.of(others).nanosSince(before);
        } while (spent > LOOK.toNanos() * QUIET && System.nanoTime() < end);
    }

    private long startAgain(String part) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        fleet.parts().startAgain(part);
        return System.nanoTime() - begin;
    }

    /** The first ones warm both up and do not count. */
    private void starts() throws IOException, InterruptedException {
        progress.step("Starting instances", plan.starts() * 0.05);
        int uncounted = Math.max(1, plan.starts() / 4);
        var users = Users.first(CALLERS + uncounted + plan.starts());
        try (var bareCommands = CommandEcho.start(fleet.bootstrap())) {
            for (int i = CALLERS; i < users.size(); i++) {
                var bare = BareSpawn.of(server);
                double command = millis(bareCommands.time());
                double online = millis(commands.install(server, List.of(users.get(i)), PATIENCE));
                if (i >= CALLERS + uncounted) {
                    add("bare_spawn_to_tools_ms", millis(bare.toToolsNanos()));
                    add("bare_command_ms", command);
                    add("spawn_to_online_ms", online);
                    add("spawn_overhead_ms", online - millis(bare.toToolsNanos()));
                }
            }
        }
    }

    private void respawns() throws IOException, InterruptedException {
        var user = List.of(Users.first(CALLERS + 1).getLast());
        var config = server.installedFor(user.getFirst());
        var path = client.path(user, server.slug());
        call(path);
        for (int i = 0; i < plan.respawns(); i++) {
            progress.step("A dormant instance comes back", 1.4);
            CommandClient.await(commands.dormant(config), PATIENCE.toNanos(), "a dormant instance");
            var bare = BareSpawn.of(server);
            double answered = millis(call(path));
            add("bare_spawn_to_answer_ms", millis(bare.toAnswerNanos()));
            add("respawn_to_answer_ms", answered);
            add("respawn_overhead_ms", answered - millis(bare.toAnswerNanos()));
        }
    }

    private static long call(EchoPath path) throws InterruptedException {
        var driver = new LoadDriver(path, PATIENCE);
        var latencies = driver.run(new Load.InFlight(1), Duration.ofNanos(1));
        return Math.round(latencies.p50Millis() * TimeUnit.MILLISECONDS.toNanos(1));
    }

    private void faults(EchoPath path, String round) throws IOException, InterruptedException {
        progress.step("Links are cut, " + round, 3);
        outage("link_cut", path, () -> fleet.links().forEach(link -> link.cut()));
        progress.step("Links are away, " + round, 4);
        outage(
                "link_away_2s",
                path,
                () -> {
                    fleet.links().forEach(link -> link.partition());
                    Thread.sleep(AWAY); // This is the fault itself.
                    fleet.links().forEach(link -> link.heal());
                });
        progress.step("A gateway is replaced, " + round, 5);
        outage("gateway_ended", path, () -> fleet.parts().end("gateway-1"));
        startAgain("gateway-1", "gateway_start_under_load_ms", path);
        progress.step("A gateway is killed, " + round, 14);
        outage("gateway_killed", path, () -> fleet.parts().kill("gateway-1"));
        startAgain("gateway-1", "gateway_start_under_load_ms", path);
        progress.step("A worker crashes and is started again, " + round, 5);
        outage(
                "worker_restarted",
                path,
                () -> {
                    fleet.parts().kill("worker-1");
                    add("worker_start_under_load_ms", millis(startAgain("worker-1")));
                });
    }

    private void startAgain(String part, String name, EchoPath path)
            throws IOException, InterruptedException {
        OutageProbe.of(path, () -> add(name, millis(startAgain(part))), PATIENCE);
    }

    private void outage(String name, EchoPath path, OutageProbe.Fault fault)
            throws IOException, InterruptedException {
        var seen = OutageProbe.of(path, fault, PATIENCE);
        add(name + "_longest_wait_ms", seen.longestMillis());
        add(name + "_failed_calls", seen.failed());
    }

    private void add(String name, double value) {
        found.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }

    private static double millis(long nanos) {
        return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
