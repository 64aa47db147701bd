package dev.perigee.protocol.config;

import dev.perigee.protocol.json.InvalidRecordException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;

/** JSON of values that may be references: a text, or an object with a {@code ref}. */
final class SecretReferenceFormat {
    private SecretReferenceFormat() {}

    static final class Writer extends ValueSerializer<String> {
        @Override
        public void serialize(String value, JsonGenerator generator, SerializationContext context) {
            var reference = SecretReference.in(value);
            if (reference == null) {
                generator.writeString(value);
                return;
            }
            generator.writeStartObject();
            generator.writeName(SecretReference.FIELD);
            generator.writeString(reference.name());
            generator.writeEndObject();
        }
    }

    static final class Reader extends ValueDeserializer<String> {
        @Override
        public String deserialize(JsonParser parser, DeserializationContext context) {
            return parser.hasToken(JsonToken.START_OBJECT)
                    ? reference(parser)
                    : context.readValue(parser, String.class);
        }

        /** An explicit null is a missing value, which the configuration refuses. */
        @Override
        public @Nullable Object getNullValue(DeserializationContext context) {
            return null;
        }

        /** Unknown fields are passed over, as everywhere in the contract. */
        private static String reference(JsonParser parser) {
            var of = parser.currentName();
            String name = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                boolean isName = SecretReference.FIELD.equals(parser.currentName());
                parser.nextToken();
                if (isName && parser.hasToken(JsonToken.VALUE_STRING)) {
                    name = parser.getString();
                } else if (isName) {
                    throw refused(of);
                } else {
                    parser.skipChildren();
                }
            }
            if (name == null) {
                throw refused(of);
            }
            try {
                return SecretReference.to(name);
            } catch (InvalidRecordException e) {
                throw refused(of);
            }
        }

        private static InvalidRecordException refused(@Nullable String of) {
            return InvalidRecordException.invalid(
                    "value %s of a configuration must be a text or {\"%s\":\"name\"}, the name of %s"
                            .formatted(of, SecretReference.FIELD, SecretReference.FORM));
        }
    }
}
