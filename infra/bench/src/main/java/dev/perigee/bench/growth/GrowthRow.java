package dev.perigee.bench.growth;

import dev.perigee.bench.stat.Spread;

/**
 * A fleet of some size: what an instance and a call cost there, and the same calls over bare Kafka
 * with as many keys and partitions.
 *
 * @param installMillis from command to online, per instance of those that were added
 * @param installCpuMicros of gateway and worker, per instance
 * @param workerHeapBytes live, per instance of those that were added
 * @param callsPerSecond with 64 in flight, over all users in turn
 * @param callCpuMicros of gateway and worker, per call
 * @param bareCallsPerSecond of bare Kafka, by turns with the fleet's
 * @param overBare the fleet's calls a second over those of bare Kafka, turn by turn
 */
public record GrowthRow(
        int instances,
        int partitions,
        double installMillis,
        double installCpuMicros,
        double workerHeapBytes,
        Spread callsPerSecond,
        Spread p50Millis,
        Spread callCpuMicros,
        Spread bareCallsPerSecond,
        Spread overBare) {}
