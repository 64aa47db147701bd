package dev.perigee.protocol.link;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * One JSON-RPC 2.0 message, one per WebSocket text frame, at most {@link #MAX_BYTES}. Ids are
 * numbers, chosen by the side that asks.
 */
public sealed interface LinkFrame {
    /** Largest frame either side accepts, in bytes. */
    int MAX_BYTES = 16 * 1024 * 1024;

    /**
     * Request to the other side, which answers with the same id.
     *
     * @param id at least 0, unique among the sender's open requests
     * @param method one of {@link LinkMethod}
     * @param params the method's parameters, an object
     */
    record Request(long id, String method, RawJson params) implements LinkFrame {}

    /**
     * Notifies the other side, which does not answer.
     *
     * @param method one of {@link LinkMethod}
     * @param params the method's parameters, an object
     */
    record Notification(String method, RawJson params) implements LinkFrame {}

    /**
     * Answers a request.
     *
     * @param id the request's
     * @param result the method's result
     */
    record Response(long id, RawJson result) implements LinkFrame {}

    /**
     * Refuses a request.
     *
     * @param id the request's; null when it could not be read
     * @param code a {@link LinkError}'s code
     * @param message for logs; nothing is decided by it
     */
    record Failure(@Nullable Long id, int code, String message) implements LinkFrame {}

    /** The message as UTF-8 JSON. */
    default byte[] encode() {
        return switch (this) {
            case Request(var id, var method, var params) -> JsonRpc.ask(id, method, params);
            case Notification(var method, var params) -> JsonRpc.ask(null, method, params);
            case Response(var id, var result) -> JsonRpc.answer(id, result);
            case Failure(var id, var code, var message) ->
                    Json.write(new Refusal(JsonRpc.VERSION, id, new RefusalError(code, message)));
        };
    }

    /**
     * Reads a message.
     *
     * @throws InvalidRecordException malformed for {@link LinkError#PARSE_ERROR}, else for {@link
     *     LinkError#INVALID_REQUEST}
     */
    static LinkFrame decode(byte[] utf8) {
        var message = JsonRpc.read(utf8);
        if (!JsonRpc.VERSION.equals(message.version())) {
            throw InvalidRecordException.invalid("field jsonrpc is not 2.0");
        }
        Long id = message.id() == null ? null : message.number();
        if (id != null && id < 0) {
            throw InvalidRecordException.invalid("field id has a wrong type");
        }
        if (message.method() != null) {
            var params = message.params() == null ? RawJson.EMPTY_OBJECT : message.params();
            return id == null
                    ? new Notification(message.method(), params)
                    : new Request(id, message.method(), params);
        }
        if (message.error() != null) {
            var error = Json.read(message.error(), RefusalError.class);
            return new Failure(id, error.code(), error.message());
        }
        if (id == null || message.result() == null) {
            throw InvalidRecordException.invalid("neither a request, a notification nor an answer");
        }
        return new Response(id, message.result());
    }

    /**
     * A {@link Failure} as it is written.
     *
     * @param jsonrpc always {@link JsonRpc#VERSION}
     * @param id the request's; null when it could not be read
     * @param error what is wrong
     */
    record Refusal(String jsonrpc, @Nullable Long id, RefusalError error) {}

    /**
     * A JSON-RPC error.
     *
     * @param code a {@link LinkError}'s code
     * @param message for logs
     */
    record RefusalError(int code, String message) {}
}
