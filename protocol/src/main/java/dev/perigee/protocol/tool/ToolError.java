package dev.perigee.protocol.tool;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import org.jspecify.annotations.Nullable;

/**
 * Reason why a request failed.
 *
 * @param code stable, for programs
 * @param message for people: what happened and what to do next
 * @param retryable whether asking again, under another {@code request_id}, does no harm and can
 *     succeed; false does not mean that the call ran
 * @param serverStatus the instance's status at that moment, null where there is no instance
 * @param serverCode code of the JSON-RPC error that the server answered with, null where it
 *     answered with none
 * @param data the server's own, of the same error; null where it had none or more than {@link
 *     #MAX_DATA_BYTES}
 */
public record ToolError(
        ErrorCode code,
        String message,
        boolean retryable,
        @Nullable ServerStatus serverStatus,
        @Nullable Long serverCode,
        @Nullable RawJson data) {
    /** Largest {@code data} that is passed on. */
    public static final int MAX_DATA_BYTES = 64 * 1024;

    public ToolError {
        Require.present(code, "error.code");
        Require.present(message, "error.message");
    }

    /** An error with the code's own answer to whether a retry makes sense. */
    public static ToolError of(ErrorCode code, String message, @Nullable ServerStatus status) {
        return new ToolError(code, message, code.isRetryable(), status, null, null);
    }

    /** This error with what the server's own said. */
    public ToolError ofServer(@Nullable Long itsCode, @Nullable RawJson itsData) {
        return new ToolError(code, message, retryable, serverStatus, itsCode, itsData);
    }

    /** Everything but the data, which are the server's. */
    @Override
    public String toString() {
        return "ToolError[" + code + ", " + serverCode + ", " + message + "]";
    }
}
