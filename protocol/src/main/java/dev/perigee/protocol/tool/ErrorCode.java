package dev.perigee.protocol.tool;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Codes of why a request has no answer of its server. */
public enum ErrorCode {
    /** The request is not acceptable, or its server cannot be asked so. */
    @JsonProperty("invalid_request")
    INVALID_REQUEST,
    /** The server belongs to another team or user. */
    @JsonProperty("forbidden")
    FORBIDDEN,
    /** The user has no such server. */
    @JsonProperty("unknown_server")
    UNKNOWN_SERVER,
    /** The server has no such tool. */
    @JsonProperty("unknown_tool")
    UNKNOWN_TOOL,
    /** A command disabled the tool. */
    @JsonProperty("tool_disabled")
    TOOL_DISABLED,
    /** The server refused the configured credentials. */
    @JsonProperty("requires_reauth")
    REQUIRES_REAUTH,
    /** The server used its restart budget up; only a command starts it again. */
    @JsonProperty("permanently_failed")
    PERMANENTLY_FAILED,
    /** The server is stopped by intent, or was while the call waited. */
    @JsonProperty("stopped")
    STOPPED,
    /** No worker or process could take the call in time; it did not run. */
    @JsonProperty("unavailable")
    UNAVAILABLE,
    /** An HTTP server could not be reached; it did not receive the call. */
    @JsonProperty("server_unreachable")
    SERVER_UNREACHABLE,
    /** The server answered with an error of its own, or with no valid answer. */
    @JsonProperty("server_error")
    SERVER_ERROR,
    /** The process ended while it had the call, which may have had effects. */
    @JsonProperty("crashed")
    CRASHED,
    /** The deadline passed while the server had the call, which may have had effects. */
    @JsonProperty("timeout")
    TIMEOUT,
    /** Nobody answered a question of the server in time. */
    @JsonProperty("input_timeout")
    INPUT_TIMEOUT,
    /** The deadline passed before the call was sent; it did not run. */
    @JsonProperty("expired")
    EXPIRED,
    /** A cancel request ended it; what the server did until then stands. */
    @JsonProperty("cancelled")
    CANCELLED,
    /** A limit of user, team, gateway or worker is used up; the call did not run. */
    @JsonProperty("overloaded")
    OVERLOADED,
    /** The request or its result is larger than the fleet passes on. */
    @JsonProperty("too_large")
    TOO_LARGE,
    /** The worker was lost; only of methods without effects, which may be repeated. */
    @JsonProperty("worker_lost")
    WORKER_LOST,
    /** The call may have run, and its answer is lost with a worker or connection. */
    @JsonProperty("outcome_unknown")
    OUTCOME_UNKNOWN,
    /** The egress policy does not let the server be reached. */
    @JsonProperty("egress_refused")
    EGRESS_REFUSED,
    /** The server ran on workers that died, and starts alone when its turn comes. */
    @JsonProperty("quarantined")
    QUARANTINED;

    /** True when asking again, under another id, does no harm and can succeed. */
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
