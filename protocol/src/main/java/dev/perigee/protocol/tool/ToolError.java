package dev.perigee.protocol.tool;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Require;
import org.jspecify.annotations.Nullable;

/**
 * Reason why a request failed.
 *
 * @param code stable, for programs
 * @param message for people: what happened and what to do next
 * @param retryable whether the call surely did not run, or may be repeated, and a later try can
 *     succeed
 * @param serverStatus the instance's status at that moment, null where there is no instance
 */
public record ToolError(
        ErrorCode code, String message, boolean retryable, @Nullable ServerStatus serverStatus) {
    public ToolError {
        Require.present(code, "error.code");
        Require.present(message, "error.message");
    }

    /** An error with the code's own answer to whether a retry makes sense. */
    public static ToolError of(ErrorCode code, String message, @Nullable ServerStatus status) {
        return new ToolError(code, message, code.isRetryable(), status);
    }
}
