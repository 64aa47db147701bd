package dev.perigee.protocol.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;

/**
 * A JSON value passed through unchanged, as the UTF-8 bytes its author wrote. Tool arguments and
 * results are never re-modelled, so numbers, key order and unknown fields survive. Immutable.
 */
@JsonSerialize(using = RawJsonSerializer.class)
@JsonDeserialize(using = RawJsonDeserializer.class)
public final class RawJson {
    /** The empty object. */
    public static final RawJson EMPTY_OBJECT = of("{}");

    private final byte[] utf8;

    private RawJson(byte[] utf8) {
        this.utf8 = utf8;
    }

    /** Wraps text that the caller knows to be one valid JSON value. */
    public static RawJson of(String validJson) {
        return new RawJson(validJson.getBytes(StandardCharsets.UTF_8));
    }

    /** Wraps bytes that the caller knows to be one valid JSON value and will not change. */
    public static RawJson ofBytes(byte[] validUtf8) {
        return new RawJson(validUtf8);
    }

    static RawJson slice(byte[] source, int from, int to) {
        return new RawJson(Arrays.copyOfRange(source, from, to));
    }

    /** The value's bytes; the caller must not change them. */
    public byte[] bytes() {
        return utf8;
    }

    /** Size in bytes. */
    public int size() {
        return utf8.length;
    }

    /**
     * The same value on one line: line breaks, which JSON has only between tokens, become spaces.
     */
    public RawJson onOneLine() {
        if (!hasLineBreak()) {
            return this;
        }
        var line = new ByteArrayOutputStream(utf8.length);
        for (byte b : utf8) {
            line.write(b == '\n' || b == '\r' ? ' ' : b);
        }
        return new RawJson(line.toByteArray());
    }

    private boolean hasLineBreak() {
        for (byte b : utf8) {
            if (b == '\n' || b == '\r') {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawJson that && Arrays.equals(utf8, that.utf8);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(utf8);
    }

    /** The JSON text. It is its author's and may hold secrets: do not log it. */
    public String text() {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** The size only: the content is not ours to show. */
    @Override
    public String toString() {
        return "json[" + utf8.length + " bytes]";
    }
}
