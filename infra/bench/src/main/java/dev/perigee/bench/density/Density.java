package dev.perigee.bench.density;

/**
 * Cost of idle instances to worker and gateway, without the servers themselves.
 *
 * @param instances that were measured
 * @param workerHeapBytes per instance, live after a collection
 * @param workerResidentBytes per instance, of what Linux gave the process
 * @param workerThreads that all of them added
 * @param gatewayHeapBytes per instance
 * @param perGibibyte how many fit into a GiB of the worker's heap
 * @param scanMicros CPU time to look once at all of them for idle ones; 0 where nothing is looked
 *     at
 */
public record Density(
        int instances,
        double workerHeapBytes,
        double workerResidentBytes,
        int workerThreads,
        double gatewayHeapBytes,
        double perGibibyte,
        double scanMicros) {}
