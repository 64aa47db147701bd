package dev.perigee.worker.mcp;

import dev.perigee.protocol.tool.LogLevel;
import org.jspecify.annotations.Nullable;

/**
 * Place of a request in a call of rounds, and what a modern server may do of it.
 *
 * @param mayAsk whether a modern server may answer that it needs input first
 * @param later whether it goes on with a call that a modern server had; another server would take
 *     it for the first one, and is not sent it
 * @param tasks whether a modern server may answer by a task, or has one that the request is of
 * @param logLevel the least level of the messages that a modern server is to send of it; null for
 *     none. A legacy one is told for all its calls
 * @param url the only configured address that it may go to; null for whichever there is
 */
public record CallRound(
        boolean mayAsk,
        boolean later,
        boolean tasks,
        @Nullable LogLevel logLevel,
        @Nullable String url) {
    /** A request of one round. */
    public static final CallRound ONLY = new CallRound(false, false, false, null, null);

    /**
     * To be asked before it is sent.
     *
     * @param modern whether the server is
     * @throws McpException when it must not be sent there
     */
    void requireEra(boolean modern) throws McpException {
        if (later && !modern) {
            throw new McpException(
                    McpException.Kind.REQUEST_REFUSED,
                    false,
                    "The server no longer speaks the revision in which it asked");
        }
    }

    /**
     * The same.
     *
     * @param address that is configured
     * @throws McpException when it belongs to what was sent to another one
     */
    void requireAddress(String address) throws McpException {
        if (url != null && !url.equals(address)) {
            throw McpException.lost("The server's url was changed before its task was over");
        }
    }
}
