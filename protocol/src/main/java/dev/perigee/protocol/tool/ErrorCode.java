package dev.perigee.protocol.tool;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Codes of why a request has no answer of its server. */
public enum ErrorCode {
    @JsonProperty("invalid_request")
    INVALID_REQUEST,
    @JsonProperty("forbidden")
    FORBIDDEN,
    @JsonProperty("unknown_server")
    UNKNOWN_SERVER,
    @JsonProperty("unknown_tool")
    UNKNOWN_TOOL,
    @JsonProperty("tool_disabled")
    TOOL_DISABLED,
    @JsonProperty("requires_reauth")
    REQUIRES_REAUTH,
    @JsonProperty("permanently_failed")
    PERMANENTLY_FAILED,
    @JsonProperty("stopped")
    STOPPED,
    @JsonProperty("unavailable")
    UNAVAILABLE,
    @JsonProperty("server_unreachable")
    SERVER_UNREACHABLE,
    @JsonProperty("server_error")
    SERVER_ERROR,
    @JsonProperty("crashed")
    CRASHED,
    @JsonProperty("timeout")
    TIMEOUT,
    /** Nobody answered a question of the server in time. */
    @JsonProperty("input_timeout")
    INPUT_TIMEOUT,
    @JsonProperty("expired")
    EXPIRED,
    @JsonProperty("cancelled")
    CANCELLED,
    @JsonProperty("overloaded")
    OVERLOADED,
    @JsonProperty("too_large")
    TOO_LARGE,
    @JsonProperty("worker_lost")
    WORKER_LOST,
    @JsonProperty("outcome_unknown")
    OUTCOME_UNKNOWN,
    @JsonProperty("egress_refused")
    EGRESS_REFUSED,
    /** The server ran on workers that died, and starts alone when its turn comes. */
    @JsonProperty("quarantined")
    QUARANTINED;

    /** True when the call surely did not run, or may be repeated, and a later try can succeed. */
    public boolean isRetryable() {
        return switch (this) {
            case UNAVAILABLE, SERVER_UNREACHABLE, OVERLOADED, WORKER_LOST, QUARANTINED -> true;
            case INVALID_REQUEST,
                    FORBIDDEN,
                    UNKNOWN_SERVER,
                    UNKNOWN_TOOL,
                    TOOL_DISABLED,
                    REQUIRES_REAUTH,
                    PERMANENTLY_FAILED,
                    STOPPED,
                    SERVER_ERROR,
                    CRASHED,
                    TIMEOUT,
                    INPUT_TIMEOUT,
                    EXPIRED,
                    CANCELLED,
                    TOO_LARGE,
                    OUTCOME_UNKNOWN,
                    EGRESS_REFUSED ->
                    false;
        };
    }
}
