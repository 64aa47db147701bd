package dev.perigee.protocol.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The fields of one JSON object as they come, for the few records that each call has: what binds
 * all others takes twice as long. An explicit null is the same as an absent field. A value of
 * another type than is asked for is an {@link InvalidRecordException}; {@link Json#read(byte[],
 * Class, Function)} has it explained. For one thread, while the record is read.
 */
public final class Fields {
    private final JsonParser parser;
    private final byte[] source;
    private boolean entered;

    /**
     * @param parser of these bytes
     */
    Fields(JsonParser parser, byte[] source) {
        this.parser = parser;
        this.source = source;
    }

    /** What a document is. */
    <T> T document(Function<Fields, T> reader) {
        parser.nextToken();
        T value = present(reader);
        expect(parser.nextToken() == null);
        return value;
    }

    /** This field's value, of which the reader takes the fields until there are none. */
    public <T> @Nullable T object(Function<Fields, T> reader) {
        return isNull() ? null : present(reader);
    }

    private <T> T present(Function<Fields, T> reader) {
        expect(parser.hasToken(JsonToken.START_OBJECT));
        entered = true;
        T value = reader.apply(this);
        expect(parser.hasToken(JsonToken.END_OBJECT));
        return value;
    }

    /** The next field's name, null after the last. A value that was not taken is passed over. */
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

    /** A string; null where the field is null. Another type throws, as for all below. */
    public @Nullable String text() {
        if (isNull()) {
            return null;
        }
        expect(parser.hasToken(JsonToken.VALUE_STRING));
        return parser.getString();
    }

    /** An array of strings. */
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

    /** A whole number. */
    public @Nullable Long number() {
        return isInteger() ? (Long) parser.getLongValue() : null;
    }

    /** A whole number of 32 bits. */
    public @Nullable Integer smallNumber() {
        return isInteger() ? (Integer) parser.getIntValue() : null;
    }

    /** A boolean. */
    public @Nullable Boolean truth() {
        return isNull() ? null : parser.getBooleanValue();
    }

    /** A time in ISO 8601. */
    public @Nullable Instant time() {
        var text = text();
        try {
            return text == null ? null : IsoInstant.read(text);
        } catch (DateTimeException e) {
            throw unexpected();
        }
    }

    /** A value that is passed through. */
    public @Nullable RawJson raw() {
        return RawJsonDeserializer.cut(parser, source);
    }

    /** Bytes that are base64 here. */
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

    private static InvalidRecordException unexpected() {
        return InvalidRecordException.invalid("not the expected kind of JSON value");
    }
}
