package dev.perigee.worker.mcp;

import dev.perigee.protocol.limit.ByteBudget;
import org.jspecify.annotations.Nullable;

/**
 * Protocol revision offered to servers, and limits on their messages.
 *
 * @param protocolVersion the revision offered in {@code initialize}
 * @param maxMessageBytes longer messages of a server are skipped
 * @param unfinishedBytes memory for messages of which the end is not read yet, of all servers
 *     together; null for an eighth of the heap
 * @param asks whether servers are told that they may ask: elicitation and sampling
 */
public record McpOptions(
        String protocolVersion,
        String clientName,
        String clientVersion,
        int maxMessageBytes,
        @Nullable Long unfinishedBytes,
        boolean asks) {

    /** The newest released revision that has {@code initialize}; 17 MiB. */
    public static McpOptions defaults() {
        return new McpOptions("2025-11-25", "perigee", "0.1.0", 17 * 1024 * 1024, null, false);
    }

    /** The budget of {@link #unfinishedBytes}, a new one. */
    public ByteBudget unfinished() {
        return unfinishedBytes == null ? ByteBudget.ofHeap(8) : ByteBudget.of(unfinishedBytes);
    }
}
