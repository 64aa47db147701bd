package dev.perigee.protocol.link;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * One JSON-RPC 2.0 message, one per WebSocket text frame, at most {@link #MAX_BYTES}. Ids are
 * numbers, chosen by the side that asks.
 */
public sealed interface LinkFrame {
    /** Largest frame either side accepts, in bytes. */
    int MAX_BYTES = 16 * 1024 * 1024;

    /** Version of the link's messages; a difference is refused in {@code link/hello}. */
    int PROTOCOL = 1;

    /** Asks the other side, which answers with the same id. */
    record Request(long id, String method, RawJson params) implements LinkFrame {}

    /** Tells the other side, which does not answer. */
    record Notification(String method, RawJson params) implements LinkFrame {}

    /** Answers a request. */
    record Response(long id, RawJson result) implements LinkFrame {}

    /** Refuses a request; the id is null when it could not be read. */
    record Failure(@Nullable Long id, int code, String message) implements LinkFrame {}

    /** The message as UTF-8 JSON. */
    default byte[] encode() {
        return Json.write(
                switch (this) {
                    case Request(var id, var method, var params) ->
                            new Wire("2.0", id, method, params, null, null);
                    case Notification(var method, var params) ->
                            new Wire("2.0", null, method, params, null, null);
                    case Response(var id, var result) ->
                            new Wire("2.0", id, null, null, result, null);
                    case Failure(var id, var code, var message) ->
                            new Wire("2.0", id, null, null, null, new WireError(code, message));
                });
    }

    /**
     * Reads a message.
     *
     * @throws InvalidRecordException malformed for {@link LinkError#PARSE_ERROR}, else for {@link
     *     LinkError#INVALID_REQUEST}
     */
    static LinkFrame decode(byte[] utf8) {
        var wire = Json.read(utf8, Wire.class);
        if (!"2.0".equals(wire.jsonrpc())) {
            throw InvalidRecordException.invalid("field jsonrpc is not 2.0");
        }
        Long id = wire.id();
        if (wire.method() != null) {
            var params = wire.params() == null ? RawJson.EMPTY_OBJECT : wire.params();
            return id == null
                    ? new Notification(wire.method(), params)
                    : new Request(id, wire.method(), params);
        }
        if (wire.error() != null) {
            return new Failure(id, wire.error().code(), wire.error().message());
        }
        if (id == null || wire.result() == null) {
            throw InvalidRecordException.invalid("neither a request, a notification nor an answer");
        }
        return new Response(id, wire.result());
    }

    /** The fields of all kinds of message. */
    record Wire(
            @Nullable String jsonrpc,
            @Nullable Long id,
            @Nullable String method,
            @Nullable RawJson params,
            @Nullable RawJson result,
            @Nullable WireError error) {}

    /** A JSON-RPC error. */
    record WireError(int code, String message) {}
}
