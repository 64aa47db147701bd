package dev.perigee.bench.call;

import dev.perigee.bench.load.Latencies;
import java.util.Map;

/**
 * One measurement: how long calls took, and what each cost whom.
 *
 * @param cpuMicros CPU time per call, by part: client, broker, gateway, worker, replier, server
 * @param allocatedBytes per call, of the JVMs among these that are measured
 */
public record Sample(
        Latencies latencies, Map<String, Double> cpuMicros, Map<String, Double> allocatedBytes) {
    public Sample {
        cpuMicros = Map.copyOf(cpuMicros);
        allocatedBytes = Map.copyOf(allocatedBytes);
    }
}
