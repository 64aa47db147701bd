package dev.perigee.bench.density;

import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.JvmProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory of a fleet's worker and gateway at a moment. */
record Footprint(long workerHeap, long workerResident, int workerThreads, long gatewayHeap) {
    private static final String RESIDENT = "VmRSS:";

    static Footprint of(BenchFleet fleet, JvmProbe worker, JvmProbe gateway) throws IOException {
        // Threads first: a collection starts none, but asking for one over RMI may.
        int threads = worker.threads();
        return new Footprint(
                worker.liveHeapBytes(),
                resident(fleet.pid("worker-1")),
                threads,
                gateway.liveHeapBytes());
    }

    Density since(Footprint before, int instances, double scanMicros) {
        double heap = (workerHeap - before.workerHeap) / (double) instances;
        return new Density(
                instances,
                heap,
                (workerResident - before.workerResident) / (double) instances,
                workerThreads - before.workerThreads,
                (gatewayHeap - before.gatewayHeap) / (double) instances,
                Math.floor((1 << 30) / Math.max(1, heap)),
                scanMicros);
    }

    private static long resident(long pid) throws IOException {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            return lines.filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        }
    }
}
