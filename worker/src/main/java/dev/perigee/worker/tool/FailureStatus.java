package dev.perigee.worker.tool;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.mcp.McpException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Status of a server that follows from a failed request: an unreachable one is {@code offline}, one
 * that refuses its user's credentials {@code requires_reauth}, any other failure of the server
 * {@code error}. What an application answers changes no status. Pure.
 *
 * @param message for people; where it quotes the server it may hold what the server chose to say
 */
public record FailureStatus(ServerStatus status, String message) {
    /** Of every server that cannot be reached, for whatever reason. */
    public static final String UNREACHABLE = "Server unreachable";

    /** A failure of no further kind. */
    public static FailureStatus error(String message) {
        return new FailureStatus(ServerStatus.ERROR, message);
    }

    /**
     * The status of an HTTP server after a call failed for good, null when it keeps the one it has:
     * what an application answers, how long it takes, and that this one request is refused, says
     * nothing of its server.
     */
    public static @Nullable FailureStatus afterCall(McpException failure) {
        return switch (failure.kind()) {
            case UNREACHABLE,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    AUTHORIZATION_REQUIRED,
                    HTTP_REFUSED,
                    EGRESS_REFUSED,
                    HTTP_FAILED,
                    INVALID_ANSWER ->
                    of(failure);
            case TIMEOUT -> failure.sent() ? null : of(failure);
            case SERVER_ERROR,
                    RATE_LIMITED,
                    REQUEST_REFUSED,
                    TOO_LARGE,
                    CANCELLED,
                    CLOSED,
                    CRASHED,
                    NOT_READ ->
                    null;
        };
    }

    /**
     * How long an online server that refused this request for its tools is to be left alone before
     * the next, zero when it does not say, null when the failure is one of the server's.
     */
    public static @Nullable Duration putOff(McpException failure) {
        boolean passing =
                failure.kind() == McpException.Kind.RATE_LIMITED
                        || failure.kind() == McpException.Kind.REQUEST_REFUSED;
        var asked = failure.retryAfter();
        return !passing ? null : asked == null ? Duration.ZERO : asked;
    }

    /** The status of a server whose handshake, discovery or check failed. */
    public static FailureStatus of(McpException failure) {
        var message = String.valueOf(failure.getMessage());
        return switch (failure.kind()) {
            case UNREACHABLE -> new FailureStatus(ServerStatus.OFFLINE, UNREACHABLE);
            case UNAUTHORIZED, FORBIDDEN, AUTHORIZATION_REQUIRED ->
                    new FailureStatus(ServerStatus.REQUIRES_REAUTH, message);
            case RATE_LIMITED,
                    REQUEST_REFUSED,
                    HTTP_REFUSED,
                    EGRESS_REFUSED,
                    HTTP_FAILED,
                    SERVER_ERROR,
                    TIMEOUT,
                    CRASHED,
                    CLOSED,
                    NOT_READ,
                    CANCELLED,
                    TOO_LARGE,
                    INVALID_ANSWER ->
                    new FailureStatus(ServerStatus.ERROR, message);
        };
    }
}
