package dev.perigee.protocol.event;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a worker is, every 30 s and at once when it starts, keyed by worker id. Shares of processors
 * are from 0 to 1 over all that the worker can use. What fills its machine comes in three: the
 * worker's own JVM, its servers, and the host, which is its control group where that has a limit.
 * What a worker cannot see, or did not tell before it was added here, is null.
 *
 * @param event always {@link #EVENT}
 * @param incarnation new each time the worker process starts
 * @param status {@code running}, {@code draining}, or {@code drained} when nothing is left there
 * @param cpuLoad of the worker's JVM alone
 * @param memoryUsedBytes the JVM's heap
 * @param memoryMaxBytes what the JVM's heap can become
 * @param serversCpuLoad of all processes that it started, whatever they started in turn included,
 *     since the measurement before; null at the first one
 * @param serversMemoryBytes anonymous resident memory of the same
 * @param serversProcessCount how many these are
 * @param hostCpuLoad of everything on the host
 * @param hostMemoryAvailableBytes what processes can still have, caches that would give way
 *     included
 * @param hostMemoryMaxBytes what all of them can have
 * @param processesByTeam the instances, by team id; permanently failed ones are among them
 * @param countsByState number of instances by process state
 * @param partitions the partitions whose sessions it holds
 * @param isolation which isolation is active and what it cannot enforce
 * @param adminUrl where its admin pages are, as seen from its own host's network; null where they
 *     are not served yet
 */
public record Heartbeat(
        String event,
        String workerId,
        String incarnation,
        String status,
        String version,
        double uptimeSeconds,
        double cpuLoad,
        long memoryUsedBytes,
        long memoryMaxBytes,
        @Nullable Double serversCpuLoad,
        @Nullable Long serversMemoryBytes,
        @Nullable Integer serversProcessCount,
        @Nullable Double hostCpuLoad,
        @Nullable Long hostMemoryAvailableBytes,
        @Nullable Long hostMemoryMaxBytes,
        Map<String, List<ProcessSummary>> processesByTeam,
        Map<String, Integer> countsByState,
        int dormantCount,
        List<Integer> partitions,
        @Nullable String isolation,
        @Nullable URI adminUrl,
        Instant timestamp) {
    /** The value of {@code event} and {@code ce_type}. */
    public static final String EVENT = "perigee.worker.heartbeat";

    /**
     * One instance, without schemas or descriptions.
     *
     * @param dormant no process, but the next request starts one
     * @param uptimeSeconds of the process, 0 where there is none
     * @param crashCount crashes that count towards permanent failure
     * @param messageCount requests that were sent to the server, by whatever process of it
     * @param errorCount requests that failed for want of an answer
     * @param activeRequests accepted and not answered
     * @param lastActivityAt the last request or response
     */
    public record ProcessSummary(
            String processId,
            String installationId,
            String userId,
            String serverSlug,
            @Nullable String installationName,
            String state,
            @Nullable ServerStatus status,
            boolean dormant,
            @Nullable Long pid,
            double uptimeSeconds,
            String health,
            @Nullable Instant lastHealthCheckAt,
            int crashCount,
            long messageCount,
            long errorCount,
            int activeRequests,
            @Nullable Instant lastActivityAt,
            List<String> toolNames) {}
}
