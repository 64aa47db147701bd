package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.InvalidRecordException;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** End of an HTTP exchange. */
sealed interface ExchangeEnd {

    /** The response is complete. */
    record Completed() implements ExchangeEnd {}

    /**
     * The response has a status that is no success.
     *
     * @param body its beginning
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Refused(int status, HttpHeaders headers, byte[] body) implements ExchangeEnd {

        /** Whether the user must authorize first. */
        boolean wantsAuthorization() {
            return status == 401 || status == 403 || challenges();
        }

        /** Whether it asks for credentials, or others. */
        boolean challenges() {
            return status >= 400
                    && status < 500
                    && headers.firstValue("www-authenticate").isPresent();
        }

        /** What it asks for, null for nothing. */
        @Nullable String challenge() {
            var all = headers.allValues("www-authenticate");
            return all.isEmpty() ? null : String.join(", ", all);
        }

        /** How long the server asks its client to wait, null when it does not. */
        @Nullable Duration retryAfter() {
            boolean busy = status == 429 || status == 503;
            return busy ? RetryAfter.read(headers, Instant.now()) : null;
        }

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

    /** The response redirects to where the request may not go; the message is for people. */
    record Redirected(String message) implements ExchangeEnd {}

    /** The response is a success of a kind that MCP does not know. */
    record Foreign(int status, String contentType) implements ExchangeEnd {}

    /** A message in the response is larger than it may be. */
    record TooLarge(int maxBytes) implements ExchangeEnd {}

    /** A message in the response did not end while others waited for the memory that it took. */
    record NoRoom() implements ExchangeEnd {}

    /** The transport did not understand the response. */
    record NotUnderstood() implements ExchangeEnd {}

    /** There is no response, or not all of it. */
    record Broken(Throwable cause) implements ExchangeEnd {}

    /** Cancelled by its caller. */
    record Abandoned() implements ExchangeEnd {}
}
