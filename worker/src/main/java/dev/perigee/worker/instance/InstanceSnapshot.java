package dev.perigee.worker.instance;

import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.ServerStatus;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An instance at one moment, for attach answers, heartbeats and {@code /debug/instances}. Holds no
 * secret.
 *
 * @param configHash fingerprint of the configuration
 * @param dormant no process, but the next request respawns it
 * @param stopped stopped by intent
 * @param statusSince when the status became what it is, null while there is none
 * @param startedAt when the process was spawned, null where there is none
 * @param health the text for heartbeats: unknown, healthy or unhealthy
 * @param crashCount crashes within the policy's window
 * @param messageCount messages sent to the server since it was configured
 * @param errorCount failures to reach the server since it was configured
 * @param lastActivityAt last request or response, not a server's notifications
 * @param tools all tools that the server last listed, whatever the status; hidden ones included
 * @param disabledTools names of the tools that are hidden and refused
 */
public record InstanceSnapshot(
        InstanceIdentity identity,
        TransportType transport,
        String configHash,
        InstanceState state,
        @Nullable ServerStatus status,
        @Nullable String statusMessage,
        @Nullable Instant statusSince,
        boolean dormant,
        boolean stopped,
        @Nullable Long pid,
        @Nullable Instant startedAt,
        String health,
        @Nullable Instant lastHealthCheckAt,
        int crashCount,
        long messageCount,
        long errorCount,
        int activeRequests,
        @Nullable Instant lastActivityAt,
        List<DiscoveredTool> tools,
        Set<String> disabledTools) {

    public InstanceSnapshot {
        tools = List.copyOf(tools);
        disabledTools = Set.copyOf(disabledTools);
    }

    /** The permanently failed ones are reported apart from those that may come back. */
    public boolean permanentlyFailed() {
        return status == ServerStatus.PERMANENTLY_FAILED;
    }
}
