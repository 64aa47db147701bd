package dev.perigee.protocol.json;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;

/**
 * Cuts a value out of the bytes being parsed. The parser still walks over it, so only valid JSON
 * becomes a {@link RawJson}. {@link Json#read} passes the source; without it (a nested mapper use)
 * the value is copied token by token.
 */
final class RawJsonDeserializer extends ValueDeserializer<RawJson> {
    static final String SOURCE = "perigee.source";

    @Override
    public RawJson deserialize(JsonParser parser, DeserializationContext context) {
        if (context.getAttribute(SOURCE) instanceof byte[] source) {
            return slice(parser, source);
        }
        var copy = new ByteArrayOutputStream();
        try (var generator = Json.MAPPER.createGenerator(copy)) {
            generator.copyCurrentStructureExact(parser);
        }
        return RawJson.ofBytes(copy.toByteArray());
    }

    /** The value at which the parser of these bytes is, null for an explicit null. */
    static @Nullable RawJson cut(JsonParser parser, byte[] source) {
        return parser.hasToken(JsonToken.VALUE_NULL) ? null : slice(parser, source);
    }

    private static RawJson slice(JsonParser parser, byte[] source) {
        long from = parser.currentTokenLocation().getByteOffset();
        parser.finishToken();
        parser.skipChildren();
        long to = parser.currentLocation().getByteOffset();
        return RawJson.slice(source, Math.toIntExact(from), Math.toIntExact(to));
    }

    /** An explicit null is the same as an absent field, as everywhere in the contract. */
    @Override
    public @Nullable Object getNullValue(DeserializationContext context) {
        return null;
    }
}
