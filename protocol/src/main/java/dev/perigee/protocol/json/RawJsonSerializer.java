package dev.perigee.protocol.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;

/** Writes the bytes as they are. */
final class RawJsonSerializer extends ValueSerializer<RawJson> {
    @Override
    public void serialize(RawJson value, JsonGenerator generator, SerializationContext context) {
        generator.writeRawValue(new Utf8Value(value));
    }

    /**
     * Hands the generator the bytes, so that they are copied and never decoded. The quoted forms
     * are for strings; a raw value is never asked for one.
     */
    private record Utf8Value(RawJson value) implements SerializableString {
        @Override
        public String getValue() {
            return value.text();
        }

        @Override
        public int charLength() {
            return value.text().length();
        }

        @Override
        public byte[] asUnquotedUTF8() {
            return value.bytes();
        }

        @Override
        public int appendUnquotedUTF8(byte[] buffer, int offset) {
            if (offset + value.size() > buffer.length) {
                return -1;
            }
            System.arraycopy(value.bytes(), 0, buffer, offset, value.size());
            return value.size();
        }

        @Override
        public int appendUnquoted(char[] buffer, int offset) {
            String text = value.text();
            if (offset + text.length() > buffer.length) {
                return -1;
            }
            text.getChars(0, text.length(), buffer, offset);
            return text.length();
        }

        @Override
        public int writeUnquotedUTF8(OutputStream out) throws IOException {
            out.write(value.bytes());
            return value.size();
        }

        @Override
        public int putUnquotedUTF8(ByteBuffer buffer) {
            if (value.size() > buffer.remaining()) {
                return -1;
            }
            buffer.put(value.bytes());
            return value.size();
        }

        @Override
        public char[] asQuotedChars() {
            throw new UnsupportedOperationException("a raw value is not a string");
        }

        @Override
        public byte[] asQuotedUTF8() {
            throw new UnsupportedOperationException("a raw value is not a string");
        }

        @Override
        public int appendQuotedUTF8(byte[] buffer, int offset) {
            throw new UnsupportedOperationException("a raw value is not a string");
        }

        @Override
        public int appendQuoted(char[] buffer, int offset) {
            throw new UnsupportedOperationException("a raw value is not a string");
        }

        @Override
        public int writeQuotedUTF8(OutputStream out) {
            throw new UnsupportedOperationException("a raw value is not a string");
        }

        @Override
        public int putQuotedUTF8(ByteBuffer buffer) {
            throw new UnsupportedOperationException("a raw value is not a string");
        }
    }
}
