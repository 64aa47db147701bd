package dev.perigee.protocol.event;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happened, by kind of event. Durations are in the unit that the field's name ends with.
 *
 * <p>Source: design/contract.md, "Lifecycle events".
 */
public sealed interface EventBody {

    /** The kind of event this is the body of. */
    @JsonIgnore
    EventType type();

    /**
     * The installation's status is another one now. {@code commandId} is what led to it, if one.
     */
    record StatusChanged(
            ServerStatus status,
            @Nullable String statusMessage,
            @Nullable ServerStatus previousStatus,
            @Nullable String commandId)
            implements EventBody {
        @Override
        public EventType type() {
            return EventType.STATUS_CHANGED;
        }
    }

    /** A process finished its handshake and the discovery of its tools. */
    record Started(long spawnDurationMs, String transport, int toolCount) implements EventBody {
        @Override
        public EventType type() {
            return EventType.STARTED;
        }
    }

    /**
     * A process ended by a non-zero code or a signal that nobody asked for.
     *
     * @param limit that ended it: {@code oom}, {@code cpu}, {@code disk} or {@code pids}; null, and
     *     absent on the wire, when none did
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Crashed(
            @Nullable Integer exitCode,
            @Nullable String signal,
            double uptimeSeconds,
            int crashCount,
            boolean willRestart,
            @Nullable Long restartDelayMs,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String limit)
            implements EventBody {
        @Override
        public EventType type() {
            return EventType.CRASHED;
        }
    }

    /** A crashed process runs again. */
    record Restarted(@Nullable Long oldPid, long newPid, int attemptNumber, String restartReason)
            implements EventBody {
        @Override
        public EventType type() {
            return EventType.RESTARTED;
        }
    }

    /** Too many crashes: only a user's restart helps. */
    record PermanentlyFailed(
            int crashCount, String message, @Nullable String lastError, Instant failedAt)
            implements EventBody {
        @Override
        public EventType type() {
            return EventType.PERMANENTLY_FAILED;
        }
    }

    /** An idle process was ended; the next request respawns it. */
    record Dormant(double idleDurationSeconds, Instant lastActivityAt) implements EventBody {
        @Override
        public EventType type() {
            return EventType.DORMANT;
        }
    }

    /** A dormant instance runs again. */
    record Respawned(double dormantDurationSeconds, long respawnDurationMs) implements EventBody {
        @Override
        public EventType type() {
            return EventType.RESPAWNED;
        }
    }

    /** A process ended with code 0 though nobody asked it to. */
    record Exited(double uptimeSeconds) implements EventBody {
        @Override
        public EventType type() {
            return EventType.EXITED;
        }
    }

    /** A process was ended by intent. */
    record Stopped(String reason) implements EventBody {
        @Override
        public EventType type() {
            return EventType.STOPPED;
        }
    }

    /** Lines a process wrote to stderr (and stdout, for a program without MCP). */
    record Logs(List<LogLine> logs) implements EventBody {
        @Override
        public EventType type() {
            return EventType.LOGS;
        }
    }

    /** One line; metadata holds the process_id. */
    record LogLine(String level, String message, Map<String, String> metadata, Instant timestamp) {}

    /** Lines were dropped because a process wrote too many. */
    record LogRateLimitExceeded(long droppedLines, int limitPerSecond) implements EventBody {
        @Override
        public EventType type() {
            return EventType.LOG_RATE_LIMIT_EXCEEDED;
        }
    }

    /** Calls as they were made. */
    record RequestLogs(List<RequestLog> requests) implements EventBody {
        @Override
        public EventType type() {
            return EventType.REQUEST_LOGS;
        }
    }

    /** One call; parameters and response are the user's own. */
    record RequestLog(
            String userId,
            String toolName,
            @Nullable RawJson toolParams,
            @Nullable RawJson toolResponse,
            long responseTimeMs,
            boolean success,
            @Nullable String errorMessage,
            Instant timestamp) {}

    /** The tools a server offers now. {@code totalTokens} is an estimate. */
    record ToolsDiscovered(
            int toolCount, long totalTokens, List<DiscoveredTool> tools, Instant discoveredAt)
            implements EventBody {
        @Override
        public EventType type() {
            return EventType.TOOLS_DISCOVERED;
        }
    }

    /**
     * One tool.
     *
     * @param readOnlyHint true where the server declares so, else absent
     */
    record DiscoveredTool(
            String toolPath,
            String toolName,
            @Nullable String description,
            RawJson inputSchema,
            long tokenCount,
            @Nullable Boolean readOnlyHint) {}

    /** A tool list that replaced an earlier one. */
    record ToolsUpdated(List<String> added, List<String> removed, int toolCount)
            implements EventBody {
        @Override
        public EventType type() {
            return EventType.TOOLS_UPDATED;
        }
    }

    /** The class of the body of a type; results and removals have none. */
    static Class<? extends EventBody> classOf(EventType type) {
        return switch (type) {
            case STATUS_CHANGED -> StatusChanged.class;
            case STARTED -> Started.class;
            case CRASHED -> Crashed.class;
            case RESTARTED -> Restarted.class;
            case PERMANENTLY_FAILED -> PermanentlyFailed.class;
            case DORMANT -> Dormant.class;
            case RESPAWNED -> Respawned.class;
            case EXITED -> Exited.class;
            case STOPPED -> Stopped.class;
            case LOGS -> Logs.class;
            case LOG_RATE_LIMIT_EXCEEDED -> LogRateLimitExceeded.class;
            case REQUEST_LOGS -> RequestLogs.class;
            case TOOLS_DISCOVERED -> ToolsDiscovered.class;
            case TOOLS_UPDATED -> ToolsUpdated.class;
            case TOOL_RESULT, REMOVED ->
                    throw InvalidRecordException.invalid(type.wireName() + " has no event body");
        };
    }
}
