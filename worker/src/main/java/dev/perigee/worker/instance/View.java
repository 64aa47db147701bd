package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Quarantine;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.tool.ToolCatalogue;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An instance as its supervisor last left it, for everybody else. Immutable.
 *
 * @param quarantine why it is not run though its user wants it to, null where that is not so
 * @param starts how many times a process was started, or tried to be
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
        @Nullable Quarantine quarantine,
        Presence presence,
        int starts,
        @Nullable ServerRun run,
        @Nullable ToolCatalogue catalogue,
        Set<String> disabledTools,
        boolean discovering,
        int crashCount,
        @Nullable Boolean healthy,
        @Nullable Instant lastHealthCheckAt,
        @Nullable String lastError) {

    /**
     * Whether its tools are listed: only those of a server that is online, or whose status is not
     * known yet.
     */
    boolean isAvailable() {
        return presence == Presence.HERE
                && !stopped
                && (status == null || status == ServerStatus.ONLINE);
    }

    /**
     * How the process is used, by what is counted now; null when it may not be ended for want of
     * use: there is none on this worker, or it speaks no MCP, so that nothing could ask for it
     * again, or it is on its way to another status.
     */
    IdlePolicy.@Nullable Usage usage(RunningCalls calls, ServerMetrics metrics) {
        if (!(run instanceof ProcessRun)
                || run.client() == null
                || run.startedAt() == null
                || run.isOver()
                || status != ServerStatus.ONLINE
                || discovering) {
            return null;
        }
        return new IdlePolicy.Usage(run.startedAt(), metrics.lastActivityAt(), calls.count());
    }

    /** Presence of the instance on this worker. */
    enum Presence {
        HERE,
        /** Removed for good. */
        REMOVED,
        /** The worker gives it up. */
        LEAVING
    }
}
