package dev.perigee.worker.tool;

import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a failed request is tried again: the server could not be reached, or failed by
 * itself, and did not receive the request or may receive it twice; or it did not process the
 * request and says when to try again (HTTP 429 with {@code Retry-After}). Any other 4xx, a JSON-RPC
 * error and a tool's own error are never retried. Pure.
 */
public final class RetryDecision {
    private RetryDecision() {}

    /**
     * Whether the request may reach the server twice.
     *
     * @param tool what the server says of the tool, null when that is not known
     */
    public static boolean isRepeatable(
            ServerRequest request, @Nullable ServerTool tool, boolean trustHints) {
        if (!request.method().equals(ToolMethod.TOOLS_CALL.wireName())) {
            return true;
        }
        return trustHints && tool != null && (tool.readOnly() || tool.idempotent());
    }

    /** Whether the server did not process the request, and says when it would. */
    static boolean isAskedToWait(McpException failure) {
        return failure.kind() == McpException.Kind.RATE_LIMITED && failure.retryAfter() != null;
    }

    /** Whether to try again after this failure. */
    static boolean retries(McpException failure, boolean repeatable) {
        return switch (failure.kind()) {
            case UNREACHABLE, HTTP_FAILED -> repeatable || !failure.sent();
            case RATE_LIMITED -> isAskedToWait(failure);
            case SERVER_ERROR,
                    TIMEOUT,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    AUTHORIZATION_REQUIRED,
                    REQUEST_REFUSED,
                    HTTP_REFUSED,
                    EGRESS_REFUSED,
                    CRASHED,
                    CLOSED,
                    NOT_READ,
                    CANCELLED,
                    TOO_LARGE,
                    INVALID_ANSWER ->
                    false;
        };
    }
}
