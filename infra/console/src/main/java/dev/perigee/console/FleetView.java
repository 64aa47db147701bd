package dev.perigee.console;

import dev.perigee.gateway.admin.Readiness;
import dev.perigee.protocol.event.Heartbeat;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fleet as one gateway knows it.
 *
 * @param gatewayId who says so
 * @param obstacles what keeps that gateway from serving
 * @param ownersKnown whether the group could be asked; if not only this gateway's partitions have
 *     an owner here
 * @param load null before it was asked
 */
record FleetView(
        String gatewayId,
        List<Readiness.Obstacle> obstacles,
        boolean ownersKnown,
        List<GatewayView> gateways,
        List<WorkerLine> workers,
        List<PartitionView> partitions,
        @Nullable Load load,
        Reading reading) {

    /** The same, as far as the topics are read. */
    FleetView read(Reading now) {
        return new FleetView(
                gatewayId, obstacles, ownersKnown, gateways, workers, partitions, load, now);
    }

    /** The same under a load. */
    FleetView under(Load now) {
        return new FleetView(
                gatewayId, obstacles, ownersKnown, gateways, workers, partitions, now, reading);
    }

    /**
     * What the fleet has to do.
     *
     * @param calls of the last minute, of installations whose calls are logged
     * @param backlog null when the brokers cannot be asked
     */
    record Load(CallMeter.Rates calls, BacklogProbe.@Nullable Backlog backlog) {}

    /**
     * A gateway.
     *
     * @param member whether the group has it now; one that it has not owns nothing any more
     * @param partitions those that the group gave it
     */
    record GatewayView(String gatewayId, boolean member, List<Integer> partitions) {}

    /**
     * A worker: its link as this gateway has it, and its newest heartbeat.
     *
     * @param link null for one that is known by heartbeats only
     * @param facts null before the first heartbeat
     */
    record WorkerLine(
            @Nullable String workerId, @Nullable LinkLine link, @Nullable WorkerFacts facts) {}

    /** A link. */
    record LinkLine(
            String address, String state, Instant since, String phase, @Nullable String problem) {}

    /**
     * Facts of a worker from its heartbeat; null where the heartbeat has none.
     *
     * @param activeRequests calls that its servers have and did not answer yet
     * @param cpuLoad of the worker's JVM alone, as {@code memory} is of its heap; shares of
     *     processors are from 0 to 1
     * @param adminUrl where its admin pages are, as seen from its own host's network
     */
    record WorkerFacts(
            Instant at,
            String status,
            String version,
            Instant startedAt,
            double cpuLoad,
            long memoryUsedBytes,
            long memoryMaxBytes,
            @Nullable Double serversCpuLoad,
            @Nullable Long serversMemoryBytes,
            @Nullable Integer serversProcessCount,
            @Nullable Double hostCpuLoad,
            @Nullable Long hostMemoryAvailableBytes,
            @Nullable Long hostMemoryMaxBytes,
            int instances,
            int activeRequests,
            Map<String, Integer> countsByState,
            int dormant,
            List<Integer> partitions,
            @Nullable String isolation,
            @Nullable URI adminUrl) {
        static WorkerFacts of(Heartbeat heartbeat) {
            int count = heartbeat.processesByTeam().values().stream().mapToInt(List::size).sum();
            return new WorkerFacts(
                    heartbeat.timestamp(),
                    Text.cut(heartbeat.status(), Text.NAME),
                    Text.cut(heartbeat.version(), Text.NAME),
                    heartbeat.timestamp().minusMillis(Math.round(heartbeat.uptimeSeconds() * 1000)),
                    heartbeat.cpuLoad(),
                    heartbeat.memoryUsedBytes(),
                    heartbeat.memoryMaxBytes(),
                    heartbeat.serversCpuLoad(),
                    heartbeat.serversMemoryBytes(),
                    heartbeat.serversProcessCount(),
                    heartbeat.hostCpuLoad(),
                    heartbeat.hostMemoryAvailableBytes(),
                    heartbeat.hostMemoryMaxBytes(),
                    count,
                    heartbeat.processesByTeam().values().stream()
                            .flatMap(List::stream)
                            .mapToInt(Heartbeat.ProcessSummary::activeRequests)
                            .sum(),
                    Map.copyOf(heartbeat.countsByState()),
                    heartbeat.dormantCount(),
                    List.copyOf(heartbeat.partitions()),
                    Text.cutOrNull(heartbeat.isolation(), Text.LINE),
                    heartbeat.adminUrl());
        }
    }

    /**
     * A partition.
     *
     * @param gatewayId its owner by the group, null when it has none
     * @param claimedBy who claimed it last; another one while it changes hands
     * @param epoch of that claim
     * @param workerId where its processes are, null where they are known to be nowhere
     * @param state what its owner is doing, known of this gateway's own only
     */
    record PartitionView(
            int partition,
            @Nullable String gatewayId,
            @Nullable String claimedBy,
            @Nullable Long epoch,
            @Nullable Instant claimedAt,
            @Nullable String workerId,
            @Nullable String state) {}

    /**
     * State of the console's own reading.
     *
     * @param caughtUp whether everything was read that was there when it began
     * @param problem why it cannot read, null when it can
     * @param unreadable records that were no events
     * @param droppedEntries history that gave way for want of memory
     * @param forgottenInstances instances that gave way
     */
    record Reading(
            boolean caughtUp,
            @Nullable String problem,
            Instant since,
            long unreadable,
            long droppedEntries,
            long forgottenInstances) {}
}
