package dev.perigee.worker.instance;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.worker.log.MaskedJson;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.ToolResults;
import org.jspecify.annotations.Nullable;

/**
 * Errors of one call, for its author: without secrets, with its server's status. For its thread.
 */
final class CallErrors {
    private final Instance instance;
    private final SecondRun secondRun;
    private final CallDeadline deadline;

    /** Intended end of a call before its server answered. */
    enum Ending {
        NONE,
        /** Its author cancelled it. */
        CANCELLED,
        /** A question of its server expired. */
        UNANSWERED,
        /** Another worker resumes it. */
        HANDED_OVER
    }

    CallErrors(Instance instance, SecondRun secondRun, CallDeadline deadline) {
        this.instance = instance;
        this.secondRun = secondRun;
        this.deadline = deadline;
    }

    ToolError of(ErrorCode code, String message) {
        var view = instance.board().current();
        return ToolError.of(code, message, view == null ? null : view.status());
    }

    /** Its thread was interrupted; without an ending the worker gives the instance up. */
    ToolError of(Ending ending) {
        return switch (ending) {
            case UNANSWERED ->
                    of(
                            ErrorCode.INPUT_TIMEOUT,
                            "The server asked something, and nobody answered in time: accept input"
                                    + " only where somebody answers, or raise input_timeout_ms");
            case CANCELLED -> of(ErrorCode.CANCELLED, "The request was cancelled");
            case NONE, HANDED_OVER ->
                    of(ErrorCode.UNAVAILABLE, "This worker no longer runs the server: try again");
        };
    }

    /**
     * The server gave no answer.
     *
     * @param asked the run that was asked, null before one was
     */
    ToolError of(McpException failure, @Nullable ServerRun asked, Ending ending) {
        if (ending != Ending.NONE) {
            return of(ending);
        }
        var message = masked(asked, String.valueOf(failure.getMessage()));
        boolean stopped = failure.kind() == McpException.Kind.CLOSED && isStopped();
        var error = of(stopped ? ErrorCode.STOPPED : ToolResults.code(failure), message);
        var own = failure.serverError();
        return own == null ? error : error.ofServer(own.code(), masked(asked, own.data()));
    }

    private boolean isStopped() {
        var view = instance.board().current();
        return view != null && view.stopped();
    }

    private static @Nullable RawJson masked(@Nullable ServerRun asked, @Nullable RawJson data) {
        return data == null ? null : MaskedJson.of(data, text -> masked(asked, text));
    }

    private static String masked(@Nullable ServerRun asked, String text) {
        return asked == null ? text : asked.masked(text);
    }

    /** The server was not available in time. */
    ToolError stillWaiting(@Nullable View view) {
        var status = view == null ? null : view.status();
        var slug = view == null ? "" : view.identity().serverSlug();
        if (!deadline.left(System.nanoTime(), null).isPositive()) {
            return of(
                    ErrorCode.EXPIRED,
                    "The request's time was over before the server was available: nothing was sent");
        }
        return of(
                ErrorCode.UNAVAILABLE,
                "Server is not available yet: try again.\n\nStatus: %s\n\nUnavailable server: %s"
                        .formatted(status == null ? "unknown" : status.wireName(), slug));
    }

    /** No process could be started for the call. */
    ToolError notStarted(View view) {
        var why = view.lastError() == null ? "no process" : view.lastError();
        return of(ErrorCode.UNAVAILABLE, "The server could not be started: " + why);
    }

    /** The error of a call whose server was not asked this time. */
    ToolError unasked(ToolError error) {
        return secondRun.explain(error, instance.board().current());
    }
}
