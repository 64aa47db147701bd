package dev.perigee.bench.fleet;

import java.util.Map;

/**
 * Shape of a measured fleet.
 *
 * @param faultyLinks whether a network that fails to order is between gateways and workers
 * @param settings other than the defaults
 */
public record FleetShape(
        int partitions,
        int workers,
        int gateways,
        boolean faultyLinks,
        Map<String, String> settings) {
    public FleetShape {
        settings = Map.copyOf(settings);
    }

    /** A gateway and a worker with a direct link. */
    public static FleetShape small(int partitions, Map<String, String> settings) {
        return new FleetShape(partitions, 1, 1, false, settings);
    }
}
