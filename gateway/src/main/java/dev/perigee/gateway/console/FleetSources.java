package dev.perigee.gateway.console;

import dev.perigee.gateway.admin.Readiness;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.partition.OwnerState;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What this gateway knows of the fleet by itself; answered from memory.
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
