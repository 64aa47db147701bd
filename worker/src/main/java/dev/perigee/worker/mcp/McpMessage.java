package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC 2.0 message of a server: only the envelope is read, what it carries stays the server's
 * own bytes.
 */
sealed interface McpMessage {
    /** Longest error message that is passed on. */
    int MAX_ERROR_CHARACTERS = 4000;

    /** Method of {@link #initialized}. */
    String INITIALIZED = "notifications/initialized";

    /** Method of {@link #cancelled}. */
    String CANCELLED = "notifications/cancelled";

    /** An answer to the request of this id. */
    record Answer(long id, RawJson result) implements McpMessage {}

    /** A refusal of the request of this id. */
    record Refusal(long id, String message, ServerError error) implements McpMessage {}

    /** Something that the server asks; its id may be anything. */
    record Question(RawJson id, String method, @Nullable RawJson params) implements McpMessage {}

    /** A notification of the server. */
    record Notice(String method, @Nullable RawJson params) implements McpMessage {}

    /** An answer to no request of ours. */
    record Stray(RawJson id) implements McpMessage {}

    /** Whether the line is worth reading; finds most of what is no message at no cost. */
    static boolean mayBe(byte[] line) {
        for (byte character : line) {
            if (character != ' ' && character != '\t') {
                return character == '{';
            }
        }
        return false;
    }

    /**
     * Reads a message.
     *
     * @throws InvalidRecordException when the line is no JSON-RPC message
     */
    static McpMessage read(byte[] line) {
        var wire = JsonRpc.readInput(line);
        var id = wire.id();
        if (wire.method() != null) {
            return id == null
                    ? new Notice(wire.method(), wire.params())
                    : new Question(id, wire.method(), wire.params());
        }
        if (id == null || (wire.result() == null && wire.error() == null)) {
            throw InvalidRecordException.invalid("neither a request, a notification nor an answer");
        }
        long number = wire.number();
        if (number < 0) {
            return new Stray(id);
        }
        if (wire.error() != null) {
            return refusal(number, wire.error());
        }
        return new Answer(number, wire.result() == null ? RawJson.EMPTY_OBJECT : wire.result());
    }

    private static Refusal refusal(long id, RawJson error) {
        var tree = Json.tree(error.bytes());
        var message = tree.path("message").asString("");
        return new Refusal(
                id,
                message.isBlank() ? "the server gave no message" : shortened(message),
                ServerError.of(tree, error));
    }

    /** An error message that is passed on. */
    static String shortened(String message) {
        return message.length() <= MAX_ERROR_CHARACTERS
                ? message
                : message.substring(0, MAX_ERROR_CHARACTERS) + "…";
    }

    /** The bytes of a request or, without an id, of a notification, with the final newline. */
    static byte[] write(@Nullable Long id, String method, RawJson params) {
        var text = new StringBuilder(64).append("{\"jsonrpc\":\"2.0\"");
        if (id != null) {
            text.append(",\"id\":").append(id.longValue());
        }
        text.append(",\"method\":\"").append(method).append("\",\"params\":");
        return join(text, params.onOneLine().bytes(), "}\n");
    }

    /** The notification that ends the handshake. */
    static byte[] initialized() {
        return write(null, INITIALIZED, RawJson.EMPTY_OBJECT);
    }

    /** The notification that a request is given up. */
    static byte[] cancelled(long id, String reason) {
        return write(null, CANCELLED, Json.raw(new Cancelled(id, reason)));
    }

    /** The bytes of an answer to the server's question. */
    static byte[] answer(RawJson id, RawJson result) {
        var text = new StringBuilder("{\"jsonrpc\":\"2.0\",\"id\":").append(id.onOneLine().text());
        return join(text.append(",\"result\":"), result.onOneLine().bytes(), "}\n");
    }

    /** The bytes of a refusal of the server's question. */
    static byte[] refuse(RawJson id, int code, String plainMessage) {
        var text = new StringBuilder("{\"jsonrpc\":\"2.0\",\"id\":").append(id.onOneLine().text());
        text.append(",\"error\":{\"code\":").append(code).append(",\"message\":\"");
        return join(text.append(plainMessage), new byte[0], "\"}}\n");
    }

    private static byte[] join(CharSequence head, byte[] body, String tail) {
        var first = head.toString().getBytes(StandardCharsets.UTF_8);
        var last = tail.getBytes(StandardCharsets.UTF_8);
        var all = new byte[first.length + body.length + last.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(body, 0, all, first.length, body.length);
        System.arraycopy(last, 0, all, first.length + body.length, last.length);
        return all;
    }
}
