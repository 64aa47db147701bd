package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolError;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Code and data of a server's JSON-RPC error. Immutable.
 *
 * @param code null where the server gave no integer
 * @param data the server's own bytes, which may hold secrets; null where there are none, or more
 *     than {@link ToolError#MAX_DATA_BYTES}
 */
public record ServerError(@Nullable Long code, @Nullable RawJson data) {
    private record Envelope(@Nullable RawJson data) {}

    /** Of an error object; of something else nothing. */
    static ServerError of(JsonNode tree, RawJson error) {
        var code = tree.path("code");
        return new ServerError(
                code.isIntegralNumber() && code.canConvertToLong() ? code.asLong() : null,
                tree.has("data") ? bounded(Json.read(error, Envelope.class).data()) : null);
    }

    /** Of an error that is part of a result; of what is no object nothing. */
    public static ServerError read(RawJson error) {
        return of(Json.tree(error.bytes()), error);
    }

    private static @Nullable RawJson bounded(@Nullable RawJson data) {
        return data == null || data.size() > ToolError.MAX_DATA_BYTES ? null : data;
    }
}
