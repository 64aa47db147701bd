package dev.perigee.bench.growth;

import java.time.Duration;
import java.util.List;

/**
 * Size of the growth measurements.
 *
 * @param instances at 8 partitions, growing
 * @param partitions at {@code partitionInstances}, besides 8
 * @param time of one measurement of calls, of which there are three at each point
 */
public record GrowthPlan(
        List<Integer> instances,
        List<Integer> partitions,
        int partitionInstances,
        Duration time,
        Duration warmup) {
    public GrowthPlan {
        instances = List.copyOf(instances);
        partitions = List.copyOf(partitions);
    }
}
