package dev.perigee.protocol.json;

import java.time.DateTimeException;
import java.time.Instant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;

/** Timestamps of the contract: written as ISO-8601 UTC with milliseconds, read with any offset. */
final class InstantFormat {
    private InstantFormat() {}

    static final class Writer extends ValueSerializer<Instant> {
        @Override
        public void serialize(
                Instant value, JsonGenerator generator, SerializationContext context) {
            generator.writeString(IsoInstant.write(value));
        }
    }

    static final class Reader extends ValueDeserializer<Instant> {
        @Override
        public Instant deserialize(JsonParser parser, DeserializationContext context) {
            if (parser.currentToken() != JsonToken.VALUE_STRING) {
                throw InvalidRecordException.invalid(
                        "field " + parser.currentName() + " is not an ISO-8601 timestamp");
            }
            try {
                return IsoInstant.read(parser.getString());
            } catch (DateTimeException e) {
                throw InvalidRecordException.invalid(
                        "field " + parser.currentName() + " is not an ISO-8601 timestamp");
            }
        }
    }
}
