package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.InvalidRecordException;
import org.jspecify.annotations.Nullable;

/** How an HTTP exchange ended. */
sealed interface ExchangeEnd {

    /** The response is complete. */
    record Completed() implements ExchangeEnd {}

    /**
     * The response has a status that is no success.
     *
     * @param location where it redirects to
     * @param body its beginning
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Refused(int status, @Nullable String location, byte[] body) implements ExchangeEnd {

        /** Whether it is the JSON-RPC refusal of the request of this id. */
        boolean answers(long id) {
            try {
                return McpMessage.mayBe(body)
                        && McpMessage.read(body) instanceof McpMessage.Refusal refusal
                        && refusal.id() == id;
            } catch (InvalidRecordException e) {
                return false;
            }
        }
    }

    /** The response is a success of a kind that MCP does not know. */
    record Foreign(int status, String contentType) implements ExchangeEnd {}

    /** A message in the response is larger than it may be. */
    record TooLarge(int maxBytes) implements ExchangeEnd {}

    /** The transport did not understand the response. */
    record NotUnderstood() implements ExchangeEnd {}

    /** There is no response, or not all of it. */
    record Broken(Throwable cause) implements ExchangeEnd {}

    /** Nobody is interested any more. */
    record Abandoned() implements ExchangeEnd {}
}
