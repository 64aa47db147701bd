package dev.perigee.worker.mcp;

/**
 * A request without a result. The message is for people; where it quotes the server it may hold
 * what the server chose to say.
 */
public final class McpException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final boolean sent;

    /** Why there is no result. */
    public enum Kind {
        /** The server answered with a JSON-RPC error; the message is the server's own. */
        SERVER_ERROR,
        /** No answer in time. */
        TIMEOUT,
        /** The process ended by itself. */
        CRASHED,
        /** The process was ended by intent. */
        CLOSED,
        /** The process does not read its input. */
        NOT_READ,
        /** The caller cancelled the request. */
        CANCELLED,
        /** The answer is larger than a message may be. */
        TOO_LARGE,
        /** The answer is not what MCP asks for. */
        INVALID_ANSWER
    }

    McpException(Kind kind, boolean sent, String message) {
        super(message, null, false, false);
        this.kind = kind;
        this.sent = sent;
    }

    /** An answer that breaks the protocol. */
    public static McpException invalidAnswer(String message) {
        return new McpException(Kind.INVALID_ANSWER, true, message);
    }

    /** Why. */
    public Kind kind() {
        return kind;
    }

    /** Whether the server may have received the request. */
    public boolean sent() {
        return sent;
    }
}
