package dev.perigee.bench.micro;

import dev.perigee.gateway.placement.RendezvousPlacement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Benchmark of placement, among few workers and among many. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Router {
    @Param({"3", "30"})
    int workers;

    private final Map<String, Double> weights = new HashMap<>();
    private int partition;

    @Setup
    public void fill() {
        for (int i = 0; i < workers; i++) {
            weights.put("worker-" + i, 100.0);
        }
    }

    @Benchmark
    public @Nullable String placePartition() {
        return RendezvousPlacement.choose(partition++ & 511, weights);
    }
}
