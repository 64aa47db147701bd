package dev.perigee.bench.boundary;

import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.CommandClient;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.FleetShape;
import dev.perigee.bench.lifecycle.BareSpawn;
import dev.perigee.bench.load.Latencies;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.load.LoadDriver;
import dev.perigee.bench.load.LoadFleetClient;
import dev.perigee.bench.stat.Spread;
import dev.perigee.protocol.topic.RecordKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A fleet whose servers have one kind of boundary, and what was found of it. */
final class BoundedFleet implements AutoCloseable {
    private static final int PARTITIONS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final EchoProgram server;
    private final BenchFleet fleet;
    private final CommandClient commands;
    private final LoadFleetClient client;
    private final List<Double> starts = new ArrayList<>();
    private final List<Double> startsOverBare = new ArrayList<>();
    private final List<Double> p50 = new ArrayList<>();
    private final List<Double> p99 = new ArrayList<>();
    private @Nullable Long bytesBefore;
    private @Nullable Double bytesEach;

    private BoundedFleet(EchoProgram server, BenchFleet fleet) {
        this.server = server;
        this.fleet = fleet;
        this.commands = CommandClient.connect(fleet);
        this.client = LoadFleetClient.connect(fleet.bootstrap(), fleet.topics());
    }

    /** Starts it; its servers stay awake. */
    static BoundedFleet start(Boundary boundary, EchoProgram server, Consumer<String> say)
            throws IOException, InterruptedException {
        var settings = new HashMap<>(boundary.settings());
        settings.put("idle.timeout", "0s");
        settings.put("isolation.read-only-paths", server.line().getFirst());
        return new BoundedFleet(
                server, BenchFleet.start(FleetShape.small(PARTITIONS, settings), say));
    }

    /** Installs the server for a user. */
    void install(RecordKey user) throws IOException, InterruptedException {
        double bare = millis(BareSpawn.of(server).toToolsNanos());
        double online = millis(commands.install(server, List.of(user), PATIENCE));
        starts.add(online);
        startsOverBare.add(online - bare);
    }

    /** Forgets what was found: it was to warm up. What is awake then is not counted later. */
    void begin() {
        List.of(starts, startsOverBare, p50, p99).forEach(List::clear);
        bytesBefore = ProportionalMemory.bytesBelow(fleet.pid("worker-1"));
    }

    /** Looks at the memory of so many instances. */
    void weigh(int instances) {
        var after = ProportionalMemory.bytesBelow(fleet.pid("worker-1"));
        bytesEach =
                after == null || bytesBefore == null
                        ? null
                        : (after - bytesBefore) / (double) instances;
    }

    /** Calls the server of a user, one call after the other. */
    void call(RecordKey user, Duration time) throws InterruptedException {
        var path = client.path(List.of(user), server.slug());
        Latencies latencies = new LoadDriver(path, PATIENCE).run(new Load.InFlight(1), time);
        p50.add(latencies.p50Millis());
        p99.add(latencies.p99Millis());
    }

    /** The last start, over its bare spawn. */
    double lastStartOverBare() {
        return startsOverBare.getLast();
    }

    BoundaryRow row() {
        return new BoundaryRow(
                Spread.of(starts),
                Spread.of(startsOverBare),
                bytesEach,
                Spread.of(p50),
                Spread.of(p99));
    }

    private static double millis(long nanos) {
        return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    @Override
    public void close() {
        client.close();
        commands.close();
        fleet.close();
    }
}
