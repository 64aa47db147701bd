package dev.perigee.worker.mcp;

/** Makes failures for tests of other packages. */
public final class McpFailures {
    private McpFailures() {}

    /** A failure. */
    public static McpException of(McpException.Kind kind, boolean sent, String message) {
        return new McpException(kind, sent, message);
    }
}
