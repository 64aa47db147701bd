package dev.perigee.worker.mcp;

import java.time.Duration;

/** Makes failures for tests of other packages. */
public final class McpFailures {
    private McpFailures() {}

    /** A failure. */
    public static McpException of(McpException.Kind kind, boolean sent, String message) {
        return new McpException(kind, sent, message);
    }

    /** A refusal of a server that says when to try again. */
    public static McpException retryAfter(McpException.Kind kind, Duration pause) {
        return new McpException(kind, true, "busy", pause);
    }
}
