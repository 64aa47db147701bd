package dev.perigee.gateway.partition;

import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolMethod;

/** Errors with which a gateway itself answers a request that no worker answers. */
enum OwnAnswer {
    EXPIRED(ErrorCode.EXPIRED, "The request's deadline passed before it could be sent"),
    UNKNOWN_SERVER(
            ErrorCode.UNKNOWN_SERVER,
            "The user has no server of this slug: configure it, or check tool_path and"
                    + " installation_id"),
    SEVERAL_SERVERS(
            ErrorCode.INVALID_REQUEST,
            "The user has several installations of this server: name one in installation_id"),
    NO_WORKER(ErrorCode.UNAVAILABLE, "No worker had the user's servers in time: try again"),
    NOT_REACHED(ErrorCode.UNAVAILABLE, "The worker was not reached in time: try again"),
    REFUSED(ErrorCode.UNAVAILABLE, "The worker refused the call: see the gateway's log"),
    QUEUE_FULL(
            ErrorCode.OVERLOADED,
            "The user has as many requests open as limits.user.concurrency and limits.user.queue"
                    + " allow: try again when some are answered"),
    BYTES_FULL(
            ErrorCode.OVERLOADED,
            "The user's open requests are as large as limits.user.open-bytes allows: try again when"
                    + " some are answered"),
    TOO_OFTEN(
            ErrorCode.OVERLOADED,
            "The user sends more requests than limits.user.rate allows, and this one's turn would"
                    + " come after its deadline: try again later"),
    NO_TURN(
            ErrorCode.OVERLOADED,
            "The user's requests before this one were under way until its deadline, and"
                    + " limits.user.concurrency or limits.user.rate allows no more: try again later"),
    MEMORY_FULL(
            ErrorCode.OVERLOADED,
            "The gateway has no room to remember more request ids, and a repeat must not run twice:"
                    + " try again later, or raise request.memory-bytes"),
    ARGUMENTS_FULL(
            ErrorCode.OVERLOADED,
            "The arguments of open requests are as large as memory.open-arguments of the gateway"
                    + " allows: try again when some are answered"),
    TOO_LARGE(ErrorCode.TOO_LARGE, "The request is too large to be sent: shorten its arguments"),
    SILENT(
            ErrorCode.TIMEOUT,
            "The worker gave no result within the deadline; the call may have run"),
    OUTCOME_UNKNOWN(
            ErrorCode.OUTCOME_UNKNOWN,
            "The worker that ran the call was lost: it may have run, check before repeating it"),
    WORKER_LOST(
            ErrorCode.WORKER_LOST, "The worker that was asked was lost: it is safe to ask again"),
    CANCELLED(ErrorCode.CANCELLED, "The request was cancelled before it was sent"),
    CANCELLED_ASKING(
            ErrorCode.CANCELLED, "The request was cancelled while its server's question was open"),
    INPUT_TIMEOUT(
            ErrorCode.INPUT_TIMEOUT,
            "The server asked a question, and no answer reached it in time: accept input only"
                    + " where somebody answers, or raise input_timeout_ms"),
    OLDER_WORKER(
            ErrorCode.OUTCOME_UNKNOWN,
            "The worker that ran the call was lost while its server's question was open, and the"
                    + " next one is too old to go on: upgrade the workers, and check before"
                    + " repeating the call");

    private final ErrorCode code;
    private final String message;

    OwnAnswer(ErrorCode code, String message) {
        this.code = code;
        this.message = message;
    }

    /** What is true in its place of a request that may have run, in a session that is gone. */
    OwnAnswer afterPossibleRun(ToolMethod method) {
        return switch (this) {
            case SILENT, OUTCOME_UNKNOWN, CANCELLED_ASKING, INPUT_TIMEOUT, OLDER_WORKER -> this;
            case EXPIRED,
                    UNKNOWN_SERVER,
                    SEVERAL_SERVERS,
                    NO_WORKER,
                    NOT_REACHED,
                    REFUSED,
                    QUEUE_FULL,
                    BYTES_FULL,
                    TOO_OFTEN,
                    NO_TURN,
                    MEMORY_FULL,
                    ARGUMENTS_FULL,
                    TOO_LARGE,
                    WORKER_LOST,
                    CANCELLED -> {
                if (method == ToolMethod.TOOLS_CALL) {
                    yield OUTCOME_UNKNOWN;
                }
                yield this == NO_WORKER ? WORKER_LOST : this;
            }
        };
    }

    /** True of those that come when there is no time left to send it. */
    boolean isOfTime() {
        return this == EXPIRED || this == NO_WORKER || this == NO_TURN || this == NOT_REACHED;
    }

    ToolError error() {
        return ToolError.of(code, message, null);
    }
}
