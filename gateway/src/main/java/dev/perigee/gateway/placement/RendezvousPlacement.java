package dev.perigee.gateway.placement;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Weighted rendezvous hashing: every gateway computes the same worker for a partition without
 * asking anybody, a worker that joins takes over its share and moves nothing else, one that leaves
 * gives away only what it had. Pure.
 */
public final class RendezvousPlacement {
    private RendezvousPlacement() {}

    /**
     * The worker for a partition.
     *
     * @param weights by worker id; twice the weight gets about twice the partitions, a weight of 0
     *     or less gets none
     * @return null when no worker has a weight
     */
    public static @Nullable String choose(int partition, Map<String, Double> weights) {
        return ranked(partition, weights).stream().findFirst().orElse(null);
    }

    /** All workers that have a weight, the best one first. */
    public static List<String> ranked(int partition, Map<String, Double> weights) {
        return weights.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .sorted(
                        Comparator.<Map.Entry<String, Double>>comparingDouble(
                                        entry ->
                                                -score(partition, entry.getKey(), entry.getValue()))
                                .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Exponential order statistics: the highest score is won in proportion to the weights. */
    private static double score(int partition, String workerId, double weight) {
        var evenly = ((hash(partition, workerId) >>> 11) + 0.5) * 0x1.0p-53;
        return -weight / Math.log(evenly);
    }

    /** FNV-1a with a final mix, the same in every gateway and version. */
    private static long hash(int partition, String workerId) {
        var hash = 0xcbf29ce484222325L;
        for (var b : workerId.getBytes(UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        hash ^= partition * 0x9e3779b97f4a7c15L;
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
