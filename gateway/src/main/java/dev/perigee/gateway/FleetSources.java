package dev.perigee.gateway;

import dev.perigee.gateway.admin.Readiness;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.partition.OwnerState;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The gateway's own view of the fleet, answered from memory.
 *
 * @param partitions how many there are
 * @param workers the links
 * @param states what this gateway does with each partition that it has
 */
public record FleetSources(
        String gatewayId,
        int partitions,
        Readiness readiness,
        Supplier<List<WorkerView>> workers,
        Supplier<Map<Integer, OwnerState>> states) {}
