package dev.perigee.protocol.tool;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one terminal answer to a request, on {@code tool-results} and on the reply topic. After a
 * failover the same answer may come again, with the same {@code ce_id}.
 *
 * @param event always {@link #EVENT}
 * @param requestId the request's id
 * @param teamId the request's team, null where it could not be read
 * @param userId the request's user, null where it could not be read
 * @param processId the instance that was asked, null where there was none
 * @param toolPath the request's, null where it had none
 * @param outcome how the request ended
 * @param result the server's own JSON, unchanged; null when {@code outcome} is {@code failed}
 * @param error why there is no answer of the server's; null unless {@code outcome} is {@code
 *     failed}
 * @param attempts how often the request was sent to the server, 0 when never
 * @param durationMs from the worker's acceptance to the answer, in milliseconds
 * @param timestamp when the answer was made, by the clock of the worker or gateway
 */
public record ToolResult(
        String event,
        String requestId,
        @Nullable String teamId,
        @Nullable String userId,
        @Nullable String processId,
        @Nullable String toolPath,
        ToolOutcome outcome,
        @Nullable RawJson result,
        @Nullable ToolError error,
        int attempts,
        long durationMs,
        Instant timestamp) {
    /** The value of {@code event} and {@code ce_type}. */
    public static final String EVENT = "perigee.tool.result";

    public ToolResult {
        Require.text(event, "event");
        Require.text(requestId, "request_id");
        Require.present(outcome, "outcome");
        Require.present(timestamp, "timestamp");
    }

    /** This answer with an error in the place of its result, such as one too large to publish. */
    public ToolResult failed(ToolError instead) {
        return new ToolResult(
                EVENT,
                requestId,
                teamId,
                userId,
                processId,
                toolPath,
                ToolOutcome.FAILED,
                null,
                instead,
                attempts,
                durationMs,
                timestamp);
    }

    /** The answer to a request that no server was asked. */
    public static ToolResult refused(
            ToolRequest request, @Nullable String processId, ToolError error, Instant timestamp) {
        return new ToolResult(
                EVENT,
                request.requestId(),
                request.teamId(),
                request.userId(),
                processId,
                request.toolPath(),
                ToolOutcome.FAILED,
                null,
                error,
                0,
                0,
                timestamp);
    }
}
