package dev.perigee.protocol.event;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Body of an event, by kind. Durations are in the unit that the field's name ends with. */
public sealed interface EventBody {

    /** The kind of event this is the body of. */
    @JsonIgnore
    default EventType type() {
        return switch (this) {
            case StatusChanged _ -> EventType.STATUS_CHANGED;
            case Started _ -> EventType.STARTED;
            case Crashed _ -> EventType.CRASHED;
            case Restarted _ -> EventType.RESTARTED;
            case PermanentlyFailed _ -> EventType.PERMANENTLY_FAILED;
            case Dormant _ -> EventType.DORMANT;
            case Respawned _ -> EventType.RESPAWNED;
            case Exited _ -> EventType.EXITED;
            case Stopped _ -> EventType.STOPPED;
            case Logs _ -> EventType.LOGS;
            case LogRateLimitExceeded _ -> EventType.LOG_RATE_LIMIT_EXCEEDED;
            case RequestLogs _ -> EventType.REQUEST_LOGS;
            case CallProgress _ -> EventType.CALL_PROGRESS;
            case CallLog _ -> EventType.CALL_LOG;
            case CallInputRequired _ -> EventType.CALL_INPUT_REQUIRED;
            case CallTask _ -> EventType.CALL_TASK;
            case ResourceUpdated _ -> EventType.RESOURCE_UPDATED;
            case ListChanged _ -> EventType.LIST_CHANGED;
            case Notification _ -> EventType.NOTIFICATION;
            case Subscriptions _ -> EventType.SUBSCRIPTIONS;
            case Authorization _ -> EventType.AUTHORIZATION;
            case ToolsDiscovered _ -> EventType.TOOLS_DISCOVERED;
            case ToolsUpdated _ -> EventType.TOOLS_UPDATED;
            case Catalog _ -> EventType.CATALOG;
            case Usage _ -> EventType.USAGE;
        };
    }

    /**
     * The status of an installation is another one now.
     *
     * @param status the new status
     * @param statusMessage for people, with the last lines of stderr where a process failed; null
     *     where there is nothing to add
     * @param previousStatus the status before, null for the first one
     * @param commandId the command that led to it, null where none did
     * @param serverVersion of the server that runs or failed to: the configured commit, the
     *     installed package's version, or what the server says of itself; null while it is not
     *     known
     */
    record StatusChanged(
            ServerStatus status,
            @Nullable String statusMessage,
            @Nullable ServerStatus previousStatus,
            @Nullable String commandId,
            @Nullable String serverVersion)
            implements EventBody {
        /** The same of a server whose version is not known. */
        public StatusChanged(
                ServerStatus status,
                @Nullable String statusMessage,
                @Nullable ServerStatus previousStatus,
                @Nullable String commandId) {
            this(status, statusMessage, previousStatus, commandId, null);
        }

        /** The same of this version of the server. */
        public StatusChanged ofVersion(@Nullable String version) {
            return new StatusChanged(status, statusMessage, previousStatus, commandId, version);
        }
    }

    /**
     * A server finished its handshake and the discovery of its tools.
     *
     * @param spawnDurationMs from the spawn, or the first connection, to this event, in
     *     milliseconds
     * @param transport how it is reached: {@code stdio}, {@code http}, {@code sse} or {@code
     *     command}
     * @param toolCount how many tools it has, 0 for a program without MCP
     */
    record Started(long spawnDurationMs, String transport, int toolCount) implements EventBody {}

    /**
     * A process ended by a non-zero code or a signal that nobody asked for.
     *
     * @param exitCode the code, null when a signal ended it
     * @param signal the signal's name, such as {@code SIGKILL}; null when the process exited
     * @param uptimeSeconds how long the process ran, in seconds
     * @param crashCount crashes within the window of the restart budget, this one included where it
     *     counts; 0 where the machine ran out of memory that others seem to have taken
     * @param willRestart false when the budget is used up
     * @param restartDelayMs until the restart, in milliseconds, 0 for at once; null when there is
     *     none
     * @param limit that ended it: {@code oom}, {@code cpu}, {@code disk}, {@code pids} or {@code
     *     io}; null, and absent on the wire, when none did
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
            implements EventBody {}

    /**
     * A crashed process runs again, or a command restarted one.
     *
     * @param oldPid the process before, null when it is not known
     * @param newPid the process now
     * @param attemptNumber crashes within the window so far; 0 for a restart by command
     * @param restartReason {@code crash}, or the command's reason
     */
    record Restarted(@Nullable Long oldPid, long newPid, int attemptNumber, String restartReason)
            implements EventBody {}

    /**
     * The restart budget is used up: only a command of the user starts the server again.
     *
     * @param crashCount crashes within the window of the restart budget
     * @param message for people
     * @param lastError how the last process ended, null when nothing is known
     * @param failedAt when the worker gave up
     */
    record PermanentlyFailed(
            int crashCount, String message, @Nullable String lastError, Instant failedAt)
            implements EventBody {}

    /**
     * An idle process was ended; the next request starts it again.
     *
     * @param idleDurationSeconds without requests, in seconds
     * @param lastActivityAt the last request or response, or the spawn when there was none
     */
    record Dormant(double idleDurationSeconds, Instant lastActivityAt) implements EventBody {}

    /**
     * A dormant instance runs again.
     *
     * @param dormantDurationSeconds without a process, in seconds
     * @param respawnDurationMs from the spawn to the end of the handshake, in milliseconds
     */
    record Respawned(double dormantDurationSeconds, long respawnDurationMs) implements EventBody {}

    /**
     * A process ended by itself with exit code 0.
     *
     * @param uptimeSeconds how long the process ran, in seconds
     */
    record Exited(double uptimeSeconds) implements EventBody {}

    /**
     * A process was ended by intent.
     *
     * @param reason the command's reason, or why the worker ended it
     */
    record Stopped(String reason) implements EventBody {}

    /**
     * Lines that a process wrote to stderr (and stdout, for a program without MCP).
     *
     * @param logs in the order in which they were written
     */
    record Logs(List<LogLine> logs) implements EventBody {}

    /**
     * One line.
     *
     * @param level {@code error}, {@code warn}, {@code info} or {@code debug}, inferred from the
     *     line
     * @param message the line, masked and cut to {@code logs.max-line-bytes}
     * @param metadata holds the {@code process_id}
     * @param timestamp when the worker read the line
     */
    record LogLine(String level, String message, Map<String, String> metadata, Instant timestamp) {}

    /**
     * Lines were dropped because a process wrote too many.
     *
     * @param droppedLines how many since the last such event
     * @param limitPerSecond the average rate above which lines are dropped, in lines a second
     */
    record LogRateLimitExceeded(long droppedLines, int limitPerSecond) implements EventBody {}

    /**
     * Calls as they were made.
     *
     * @param requests in the order in which they were answered
     */
    record RequestLogs(List<RequestLog> requests) implements EventBody {}

    /**
     * One call; parameters and response are the user's own. Where values are not logged, both are
     * shapes (names, types and sizes); where they are larger than {@code logs.max-payload-bytes},
     * their size.
     *
     * @param userId the user who called
     * @param toolName the tool's name without the server's slug
     * @param toolParams the arguments, null for none
     * @param toolResponse the server's answer, null where there is none
     * @param responseTimeMs from the worker's acceptance to the answer, in milliseconds
     * @param success whether the server answered, without {@code isError}
     * @param errorMessage why there is no answer of the server, null where there is one
     * @param timestamp when the call was answered
     */
    record RequestLog(
            String userId,
            String toolName,
            @Nullable RawJson toolParams,
            @Nullable RawJson toolResponse,
            long responseTimeMs,
            boolean success,
            @Nullable String errorMessage,
            Instant timestamp) {}

    /**
     * How far a running call is, for a request that accepts it. The newest of what the server
     * reported within a while; earlier reports may be left out.
     *
     * @param requestId the request, which is the record's key
     * @param toolPath the request's, null where it had none
     * @param progress the server's own number
     * @param total the server's own number of what there is to do, null where it gave none
     * @param message the server's own, without secrets, cut to {@link #MAX_MESSAGE_CHARACTERS};
     *     null where it gave none
     */
    record CallProgress(
            String requestId,
            @Nullable String toolPath,
            double progress,
            @Nullable Double total,
            @Nullable String message)
            implements EventBody {
        /** Longest message, in characters. */
        public static final int MAX_MESSAGE_CHARACTERS = 1000;
    }

    /**
     * A message that a server sent while a call ran, for a request that accepts it. A server does
     * not say which call it is about: each that runs and accepts it has it.
     *
     * @param requestId the request, which is the record's key
     * @param toolPath the request's, null where it had none
     * @param level a {@link dev.perigee.protocol.tool.LogLevel}'s name
     * @param logger the server's own name of what wrote it, null where it gave none
     * @param data the server's own, without secrets; where it is larger than {@link
     *     #MAX_DATA_BYTES} its size, as {@code {"omitted_bytes":n}}; null where it gave none
     * @param dropped messages for this request between this and the one before that came faster
     *     than they are published; null for none
     */
    record CallLog(
            String requestId,
            @Nullable String toolPath,
            String level,
            @Nullable String logger,
            @Nullable RawJson data,
            @Nullable Long dropped)
            implements EventBody {
        /** Largest data. */
        public static final int MAX_DATA_BYTES = 16 * 1024;
    }

    /**
     * A question of a server, whose call waits for the answer: {@code call/respond} with the
     * question's id, before it expires. Then the call ends with {@code input_timeout}.
     *
     * @param requestId the request, which is the record's key
     * @param toolPath the request's, null where it had none
     * @param inputId the question's id, unlike that of any other
     * @param requests what is asked: by a name each a JSON object with MCP's {@code method}, {@code
     *     elicitation/create} or {@code sampling/createMessage}, and the server's own {@code
     *     params}, without secrets
     * @param expiresAt until when it may be answered, by the worker's clock
     */
    record CallInputRequired(
            String requestId,
            @Nullable String toolPath,
            String inputId,
            RawJson requests,
            Instant expiresAt)
            implements EventBody {}

    /**
     * The state of the task that a server made of a running call, for a request that accepts it.
     * The newest that the worker got; states between two of them may be left out. A terminal one is
     * not the call's answer, which follows.
     *
     * @param requestId the request, which is the record's key
     * @param toolPath the request's, null where it had none
     * @param taskId the server's own, without secrets
     * @param status {@code working}, {@code input_required}, {@code completed}, {@code failed} or
     *     {@code cancelled}
     * @param statusMessage the server's own, without secrets, cut to {@link
     *     CallProgress#MAX_MESSAGE_CHARACTERS}; null where it gave none
     */
    record CallTask(
            String requestId,
            @Nullable String toolPath,
            String taskId,
            String status,
            @Nullable String statusMessage)
            implements EventBody {}

    /**
     * A resource of a server changed, to which its user subscribed. The newest of the server's
     * notifications within a while; of equal ones before it nothing is published.
     *
     * @param uri the server's own, of the resource or of a part of it
     * @param dropped notifications of the server that were left out since the event before on this
     *     topic, because they came faster than they are published or were too large; null for none
     */
    record ResourceUpdated(String uri, @Nullable Long dropped) implements EventBody {}

    /**
     * What a server offers is another list now. The newest within a while.
     *
     * @param list {@code tools}, {@code resources} or {@code prompts}
     * @param dropped as in {@link ResourceUpdated}
     */
    record ListChanged(String list, @Nullable Long dropped) implements EventBody {}

    /**
     * Any other notification of a server, the newest of its method within a while.
     *
     * @param method the server's own
     * @param params the server's own, without secrets; where they are larger than {@link
     *     #MAX_PARAMS_BYTES} their size, as {@code {"omitted_bytes":n}}; null where it gave none
     * @param dropped as in {@link ResourceUpdated}
     */
    record Notification(String method, @Nullable RawJson params, @Nullable Long dropped)
            implements EventBody {
        /** Largest parameters. */
        public static final int MAX_PARAMS_BYTES = 16 * 1024;
    }

    /**
     * The subscriptions of an instance changed, or were made again.
     *
     * @param change {@code subscribed} or {@code unsubscribed} by a request, or {@code
     *     unsubscribed} from all by a configuration with another server; {@code renewed} after the
     *     server, or the session with it, began anew: updates in between are not known
     * @param uri the one that a request named, null where none did
     * @param count how many there are
     * @param refused those that the server did not take again; they are kept and asked for at its
     *     next start. Null for none
     */
    record Subscriptions(
            String change, @Nullable String uri, int count, @Nullable List<String> refused)
            implements EventBody {
        /** By a request. */
        public static final String SUBSCRIBED = "subscribed";

        /** By a request. */
        public static final String UNSUBSCRIBED = "unsubscribed";

        /** Made again by the worker. */
        public static final String RENEWED = "renewed";
    }

    /**
     * The OAuth tokens of an instance changed, are about to, or need its user. No token, code or
     * verifier is in it.
     *
     * @param change {@code refreshing} or {@code exchanging} before the authorization server is
     *     asked; {@code granted} with new tokens, which are stored; {@code required} when the user
     *     has to authorize; {@code step_up} when the server wants more scopes for a call; {@code
     *     failed} when tokens cannot be had
     * @param url where the user authorizes; null where the backend is to get tokens itself
     * @param issuer the authorization server, null where it is not known
     * @param scopes those that are granted or wanted, null where none are known
     * @param expiresAt when the new access token expires, or the offer to authorize
     * @param reason why, for people; null where there is nothing to say
     */
    record Authorization(
            String change,
            @Nullable String url,
            @Nullable String issuer,
            @Nullable List<String> scopes,
            @Nullable Instant expiresAt,
            @Nullable String reason)
            implements EventBody {}

    /**
     * The tools that a server offers now.
     *
     * @param toolCount how many
     * @param totalTokens what all descriptions may cost a model, an estimate in tokens
     * @param tools each tool, also those that are disabled
     * @param discoveredAt when the list was complete
     */
    record ToolsDiscovered(
            int toolCount, long totalTokens, List<DiscoveredTool> tools, Instant discoveredAt)
            implements EventBody {}

    /**
     * One tool.
     *
     * @param toolPath {@code server_slug:tool}, as requests name it
     * @param toolName the tool's name as the server gives it
     * @param description the server's own, null where it gives none
     * @param inputSchema the server's own JSON Schema, unchanged
     * @param tokenCount what the description may cost a model, an estimate in tokens
     * @param readOnlyHint true where the server declares so, else absent
     */
    record DiscoveredTool(
            String toolPath,
            String toolName,
            @Nullable String description,
            RawJson inputSchema,
            long tokenCount,
            @Nullable Boolean readOnlyHint) {}

    /**
     * A tool list that replaced an earlier one, or a tool that was disabled or restored.
     *
     * @param added names of tools that are new
     * @param removed names of tools that are gone
     * @param toolCount how many there are now
     */
    record ToolsUpdated(List<String> added, List<String> removed, int toolCount)
            implements EventBody {}

    /**
     * What a server says of itself and offers, in its own words: JSON as it came, without the
     * installation's configured secrets. Larger ones than fit are cut in the order of the fields;
     * {@code leftOut} says where.
     *
     * @param protocolVersion the revision of MCP that is spoken with it, null where it named none
     * @param serverInfo its name and version, with what else it says there
     * @param instructions how it is to be used, for models; null where it gives none
     * @param capabilities null where it names none
     * @param tools as in {@code tools/list}, with title, output schema, annotations, icons and
     *     {@code _meta}
     * @param prompts as in {@code prompts/list}
     * @param resourceTemplates as in {@code resources/templates/list}
     * @param resources as in {@code resources/list}
     * @param leftOut empty where everything is there
     * @param cataloguedAt when the last list was complete
     */
    record Catalog(
            @Nullable String protocolVersion,
            RawJson serverInfo,
            @Nullable String instructions,
            @Nullable RawJson capabilities,
            List<RawJson> tools,
            List<RawJson> prompts,
            List<RawJson> resourceTemplates,
            List<RawJson> resources,
            List<LeftOut> leftOut,
            Instant cataloguedAt)
            implements EventBody {}

    /**
     * A part of a catalogue that is not in it, or not whole.
     *
     * @param part the field
     * @param kept how many entries of the list are there, its first ones; 0 for what is no list
     * @param reason {@code too_large}, or {@code failed} where the server did not list it
     */
    record LeftOut(String part, int kept, String reason) {}

    /**
     * What an instance used on one worker in one minute of UTC. A minute in which nothing happened
     * and nothing was awake has no record; one has several where the instance came, went or was
     * installed anew in it: all that begin in a minute are summed. While records cannot be
     * published, one covers all minutes until they can.
     *
     * @param from start of the minute, of the first one where it covers several
     * @param to end of the minute, or when the instance left the worker within it
     * @param calls accepted requests to the server that were answered, with success or not; what
     *     the worker answers by itself, such as {@code tools/list}, is none
     * @param errors those of them whose outcome is not {@code success}
     * @param requestBytes parameters of those calls as JSON, in bytes
     * @param responseBytes results of those calls as JSON, in bytes; an error counts none
     * @param awakeMs how long there was a process, from its spawn to its end; none over HTTP
     * @param cpuMs processor time of all its processes, ended ones too, in user space and kernel
     * @param memoryByteSeconds sum over time of the memory that its processes and the file systems
     *     in memory of its jail take
     * @param memoryPeakBytes the most of that in one measurement
     */
    record Usage(
            Instant from,
            Instant to,
            long calls,
            long errors,
            long requestBytes,
            long responseBytes,
            long awakeMs,
            long cpuMs,
            long memoryByteSeconds,
            long memoryPeakBytes)
            implements EventBody {}

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
            case CALL_PROGRESS -> CallProgress.class;
            case CALL_LOG -> CallLog.class;
            case CALL_INPUT_REQUIRED -> CallInputRequired.class;
            case CALL_TASK -> CallTask.class;
            case RESOURCE_UPDATED -> ResourceUpdated.class;
            case LIST_CHANGED -> ListChanged.class;
            case NOTIFICATION -> Notification.class;
            case SUBSCRIPTIONS -> Subscriptions.class;
            case AUTHORIZATION -> Authorization.class;
            case TOOLS_DISCOVERED -> ToolsDiscovered.class;
            case CATALOG -> Catalog.class;
            case USAGE -> Usage.class;
            case TOOLS_UPDATED -> ToolsUpdated.class;
            case TOOL_RESULT, REMOVED ->
                    throw InvalidRecordException.invalid(type.wireName() + " has no event body");
        };
    }
}
