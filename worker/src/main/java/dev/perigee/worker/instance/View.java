package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.tool.ToolCatalogue;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An instance as its supervisor last left it, for everybody else. Immutable.
 *
 * @param run the process, null where there is none or it is being ended
 * @param catalogue null while the tools are not known
 * @param discovering whether the server is being asked for its tools
 * @param healthy what the last health check found, null before one
 * @param lastError why there is no process, where it could not be started
 */
record View(
        InstanceIdentity identity,
        ServerConfig config,
        String configHash,
        InstanceState state,
        @Nullable ServerStatus status,
        @Nullable String statusMessage,
        @Nullable Instant statusSince,
        boolean dormant,
        boolean stopped,
        Presence presence,
        @Nullable ServerRun run,
        @Nullable ToolCatalogue catalogue,
        Set<String> disabledTools,
        boolean discovering,
        int crashCount,
        @Nullable Boolean healthy,
        @Nullable Instant lastHealthCheckAt,
        @Nullable String lastError) {

    /** Whether the instance is here. */
    enum Presence {
        HERE,
        /** Removed for good. */
        REMOVED,
        /** The worker gives it up. */
        LEAVING
    }
}
