package dev.perigee.protocol.json;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Fields of a document of any form, as Jackson's parser reads them. */
final class ParsedFields extends Fields {
    private final JsonParser parser;
    private final byte[] source;
    private boolean entered;

    /**
     * @param parser of these bytes
     */
    ParsedFields(JsonParser parser, byte[] source) {
        this.parser = parser;
        this.source = source;
    }

    @Override
    <T extends @Nullable Object> T document(Function<Fields, T> reader) {
        parser.nextToken();
        T value = present(reader);
        expect(parser.nextToken() == null);
        return value;
    }

    @Override
    public <T> @Nullable T object(Function<Fields, T> reader) {
        return isNull() ? null : present(reader);
    }

    private <T extends @Nullable Object> T present(Function<Fields, T> reader) {
        expect(parser.hasToken(JsonToken.START_OBJECT));
        entered = true;
        T value = reader.apply(this);
        expect(parser.hasToken(JsonToken.END_OBJECT));
        return value;
    }

    @Override
    public @Nullable String next() {
        if (!entered) {
            parser.skipChildren();
        }
        entered = false;
        if (parser.nextToken() == JsonToken.END_OBJECT) {
            return null;
        }
        var name = parser.currentName();
        parser.nextToken();
        return name;
    }

    private boolean isNull() {
        return parser.hasToken(JsonToken.VALUE_NULL);
    }

    @Override
    public @Nullable String text() {
        if (isNull()) {
            return null;
        }
        expect(parser.hasToken(JsonToken.VALUE_STRING));
        return parser.getString();
    }

    @Override
    public @Nullable List<String> texts() {
        if (isNull()) {
            return null;
        }
        expect(parser.hasToken(JsonToken.START_ARRAY));
        var texts = new ArrayList<String>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            expect(parser.hasToken(JsonToken.VALUE_STRING));
            texts.add(parser.getString());
        }
        return texts;
    }

    @Override
    public @Nullable Long number() {
        return isInteger() ? (Long) parser.getLongValue() : null;
    }

    @Override
    public @Nullable Integer smallNumber() {
        return isInteger() ? (Integer) parser.getIntValue() : null;
    }

    @Override
    public @Nullable Boolean truth() {
        return isNull() ? null : parser.getBooleanValue();
    }

    @Override
    public @Nullable RawJson raw() {
        return RawJsonDeserializer.cut(parser, source);
    }

    @Override
    public byte @Nullable [] bytes() {
        return text() == null ? null : parser.getBinaryValue();
    }

    private boolean isInteger() {
        expect(isNull() || parser.hasToken(JsonToken.VALUE_NUMBER_INT));
        return !isNull();
    }

    private static void expect(boolean holds) {
        if (!holds) {
            throw unexpected();
        }
    }
}
