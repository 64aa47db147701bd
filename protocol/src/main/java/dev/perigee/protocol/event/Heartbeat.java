package dev.perigee.protocol.event;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeat of a worker, at its start and then every {@code heartbeat.interval} (30 s), keyed by
 * worker id. Shares of processors are from 0 to 1 over all that the worker can use. Load is
 * reported for three scopes: the worker's own JVM, its servers, and the host, which is its control
 * group where that has a limit. What a worker cannot measure, or an older version does not report,
 * is null.
 *
 * @param event always {@link #EVENT}
 * @param workerId the worker, also the record's key
 * @param incarnation new each time the worker process starts
 * @param status {@code running}, {@code draining}, or {@code drained} when nothing is left there
 * @param version of the worker
 * @param uptimeSeconds of the worker process, in seconds
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
 * @param dormantCount how many instances have no process until the next request
 * @param partitions the partitions whose sessions it holds
 * @param isolation which isolation is active and what it cannot enforce
 * @param adminUrl where its admin pages are, as seen from its own host's network; null where they
 *     are not served yet
 * @param timestamp when it was measured, by the worker's clock
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
     * @param processId the instance
     * @param installationId the configuration's
     * @param userId the configuration's
     * @param serverSlug the configuration's
     * @param installationName the configuration's, null where it has none
     * @param state the process: {@code starting}, {@code running}, {@code terminating}, {@code
     *     terminated} or {@code failed}
     * @param status of the installation, null before the first one
     * @param dormant no process, but the next request starts one
     * @param pid the process, null where there is none
     * @param uptimeSeconds of the process, 0 where there is none
     * @param health healthy, unhealthy or unknown, by the last health check
     * @param lastHealthCheckAt null before the first one
     * @param crashCount crashes that count towards permanent failure
     * @param messageCount requests that were sent to the server, by whatever process of it
     * @param errorCount requests that failed for want of an answer
     * @param activeRequests accepted and not answered
     * @param lastActivityAt the last request or response, null where there was none
     * @param toolNames its tools, also those that are disabled
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
