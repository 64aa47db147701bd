package dev.perigee.worker.mcp;

/**
 * How Perigee introduces itself to servers, and the largest message it takes from them.
 *
 * @param protocolVersion the revision offered in {@code initialize}
 * @param maxMessageBytes longer messages of a server are skipped
 */
public record McpOptions(
        String protocolVersion, String clientName, String clientVersion, int maxMessageBytes) {

    /** The newest released revision that has {@code initialize}; 17 MiB. */
    public static McpOptions defaults() {
        return new McpOptions("2025-11-25", "perigee", "0.1.0", 17 * 1024 * 1024);
    }
}
