package dev.perigee.protocol.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one JSON object as they come, for the few records that each call has: what binds
 * all others takes twice as long. An explicit null is the same as an absent field. A value of
 * another type than is asked for is an {@link InvalidRecordException}; {@link Json#read(byte[],
 * Class, Function)} has it explained. For one thread, while the record is read.
 */
public abstract sealed class Fields permits ParsedFields, PlainFields {
    /** What a document is. */
    abstract <T extends @Nullable Object> T document(Function<Fields, T> reader);

    /** This field's value, of which the reader takes the fields until there are none. */
    public abstract <T> @Nullable T object(Function<Fields, T> reader);

    /** The next field's name, null after the last. A value that was not taken is passed over. */
    public abstract @Nullable String next();

    /** A string; null where the field is null. Another type throws, as for all below. */
    public abstract @Nullable String text();

    /** An array of strings. */
    public abstract @Nullable List<String> texts();

    /** A whole number. */
    public abstract @Nullable Long number();

    /** A whole number of 32 bits. */
    public abstract @Nullable Integer smallNumber();

    /** A boolean. */
    public abstract @Nullable Boolean truth();

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
    public abstract @Nullable RawJson raw();

    /** Bytes that are base64 here. */
    public abstract byte @Nullable [] bytes();

    static InvalidRecordException unexpected() {
        return InvalidRecordException.invalid("not the expected kind of JSON value");
    }
}
