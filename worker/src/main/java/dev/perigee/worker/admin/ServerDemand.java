package dev.perigee.worker.admin;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.AwakeLimits;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.process.ServerUsage.Usage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Demand of a worker's instances for processes and memory: of those that run, that start, that wait
 * for their start or restart, and of dormant ones that a call waits for. What a user or a team
 * wants beyond its own limit of awake servers does not count: no further worker is for that. Pure.
 *
 * @param awake servers that have a process
 * @param wanted servers that have one or are to have one
 * @param wantedBytes memory of the awake ones, and as much for each other one that is wanted as an
 *     awake one takes on average; not a number where what they take is not known
 */
record ServerDemand(long awake, long wanted, double wantedBytes) {
    /** What a server takes where none is awake that could be measured. */
    static final long USUAL_BYTES = 64L << 20;

    static ServerDemand of(
            List<InstanceSnapshot> instances, AwakeLimits limits, @Nullable Usage usage) {
        long awake = 0;
        var wanted = new HashMap<String, Map<String, Integer>>();
        for (var instance : instances) {
            if (!instance.transport().isProcess()) {
                continue;
            }
            awake += instance.pid() == null ? 0 : 1;
            if (isWanted(instance)) {
                wanted.computeIfAbsent(instance.identity().teamId(), _ -> new HashMap<>())
                        .merge(instance.identity().userId(), 1, Integer::sum);
            }
        }
        long all = wanted.values().stream().mapToLong(users -> within(limits, users)).sum();
        return new ServerDemand(awake, all, usage == null ? Double.NaN : bytes(awake, all, usage));
    }

    private static boolean isWanted(InstanceSnapshot instance) {
        if (instance.stopped()) {
            return false;
        }
        return switch (instance.state()) {
            case STARTING, RUNNING -> true;
            case TERMINATING, TERMINATED, FAILED ->
                    instance.dormant()
                            ? instance.activeRequests() > 0
                            : isOnItsWay(instance.status());
        };
    }

    /** Whether a start or restart is to come; what failed for good or was refused awaits none. */
    private static boolean isOnItsWay(@Nullable ServerStatus status) {
        return status != null && status.isTransitional();
    }

    private static long within(AwakeLimits limits, Map<String, Integer> users) {
        long ofTeam =
                users.values().stream()
                        .mapToLong(ofUser -> Math.min(ofUser, limits.perUser()))
                        .sum();
        return Math.min(ofTeam, limits.perTeam());
    }

    /**
     * Servers are measured every few seconds, and those that are awake before are not among the
     * processes: these are of no more servers than they are.
     */
    private static double bytes(long awake, long wanted, Usage usage) {
        long taken = usage.memoryBytes();
        long measured = taken == 0 ? 0 : Math.min(awake, usage.processes());
        double each = measured == 0 ? USUAL_BYTES : taken / (double) measured;
        return taken + Math.max(0, wanted - measured) * each;
    }
}
