package dev.perigee.worker.tool;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.mcp.McpException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Makes a request's one answer from what the server said or did not say. Pure. */
public final class ToolResults {
    /** Largest server's result that fits into a frame of the link with what is around it. */
    public static final int MAX_RESULT_BYTES = LinkFrame.MAX_BYTES - 64 * 1024;

    private ToolResults() {}

    /** Attempts and time that a request took. */
    public record Effort(int attempts, long durationMs, Instant now) {}

    /** The server answered. */
    public static ToolResult answered(
            ToolRequest request, @Nullable String processId, RawJson result, Effort effort) {
        if (result.size() > MAX_RESULT_BYTES) {
            var error =
                    ToolError.of(
                            ErrorCode.TOO_LARGE,
                            "The server's result has %d bytes, at most %d may pass: ask it for less"
                                    .formatted(result.size(), MAX_RESULT_BYTES),
                            null);
            return failed(request, processId, error, effort);
        }
        boolean isCall = request.method().equals(ToolMethod.TOOLS_CALL.wireName());
        var outcome =
                isCall && ErrorFlag.isSet(result) ? ToolOutcome.TOOL_ERROR : ToolOutcome.SUCCESS;
        return result(request, processId, outcome, result, null, effort);
    }

    /** There is no server's answer. */
    public static ToolResult failed(
            ToolRequest request, @Nullable String processId, ToolError error, Effort effort) {
        return result(request, processId, ToolOutcome.FAILED, null, error, effort);
    }

    private static ToolResult result(
            ToolRequest request,
            @Nullable String processId,
            ToolOutcome outcome,
            @Nullable RawJson result,
            @Nullable ToolError error,
            Effort effort) {
        return new ToolResult(
                ToolResult.EVENT,
                request.requestId(),
                request.teamId(),
                request.userId(),
                processId,
                request.toolPath(),
                outcome,
                result,
                error,
                effort.attempts(),
                effort.durationMs(),
                effort.now());
    }

    /** The code of a failure; one that was not sent may be repeated. */
    public static ErrorCode code(McpException failure) {
        return switch (failure.kind()) {
            case SERVER_ERROR, INVALID_ANSWER -> ErrorCode.SERVER_ERROR;
            case TIMEOUT -> ErrorCode.TIMEOUT;
            case CRASHED -> failure.sent() ? ErrorCode.CRASHED : ErrorCode.UNAVAILABLE;
            case CLOSED -> failure.sent() ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.UNAVAILABLE;
            case NOT_READ, RATE_LIMITED -> ErrorCode.OVERLOADED;
            case CANCELLED -> ErrorCode.CANCELLED;
            case TOO_LARGE -> ErrorCode.TOO_LARGE;
            case UNREACHABLE ->
                    failure.sent() ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.SERVER_UNREACHABLE;
            case UNAUTHORIZED, FORBIDDEN, AUTHORIZATION_REQUIRED -> ErrorCode.REQUIRES_REAUTH;
            case EGRESS_REFUSED -> ErrorCode.EGRESS_REFUSED;
            case REQUEST_REFUSED, HTTP_REFUSED, HTTP_FAILED -> ErrorCode.SERVER_ERROR;
        };
    }
}
