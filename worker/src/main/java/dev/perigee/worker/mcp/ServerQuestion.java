package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * A request of a legacy server to its client, to be answered by {@link McpClient#reply} where it is
 * taken. Immutable.
 *
 * @param id the server's own, any JSON value
 * @param method such as {@link #ELICIT}
 * @param params unread, null where there are none
 */
public record ServerQuestion(RawJson id, String method, @Nullable RawJson params) {
    /** The server wants something of its user. */
    public static final String ELICIT = "elicitation/create";

    /** The server wants a model's words. */
    public static final String SAMPLE = "sampling/createMessage";

    /**
     * Why a question is not taken.
     *
     * @param code of the JSON-RPC error
     * @param message plain text for the server
     */
    public record Refusal(int code, String message) {
        /** Of a method that nobody answers. */
        public static final Refusal NOT_FOUND = new Refusal(-32601, "Method not found");
    }

    /** Bytes that it keeps in memory. */
    public int size() {
        return id.size() + (params == null ? 0 : params.size());
    }

    /** Id and parameters are the server's. */
    @Override
    public String toString() {
        return "ServerQuestion[" + method + "]";
    }
}
