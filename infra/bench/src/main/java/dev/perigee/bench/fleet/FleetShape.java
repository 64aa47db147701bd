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

    /**
     * A gateway and a worker for minutes of calls, where nothing becomes idle. They remember ids of
     * requests for one minute: heaps as small as theirs have no room for those of ten.
     */
    public static FleetShape busy(int partitions) {
        return small(
                partitions,
                Map.of(
                        "idle.timeout", "0s",
                        "request.memory", "1m",
                        "requests.repeat-window", "1m"));
    }

    /** A gateway and a worker with a direct link. */
    public static FleetShape small(int partitions, Map<String, String> settings) {
        return new FleetShape(partitions, 1, 1, false, settings);
    }
}
