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

/** JSON of values that may be references: a text, or an object with a {@code ref} only. */
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

        /**
         * Unknown fields are refused, in contrast to the rest of the contract: a value beside the
         * reference would be plain, which nobody masks or forbids.
         */
        private static String reference(JsonParser parser) {
            var of = parser.currentName();
            String name = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                boolean isName = SecretReference.FIELD.equals(parser.currentName());
                parser.nextToken();
                if (!isName || name != null || !parser.hasToken(JsonToken.VALUE_STRING)) {
                    throw refused(of);
                }
                name = parser.getString();
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
                    "value %s of a configuration must be a text or only {\"%s\":\"name\"}"
                                    .formatted(of, SecretReference.FIELD)
                            + ", with a name of "
                            + SecretReference.FORM);
        }
    }
}
