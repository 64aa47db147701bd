package dev.perigee.protocol.json;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the few documents that each call has into an array of their exact size, byte for byte
 * what the mapper would write: the content is counted first, and written then. Texts are printable
 * ASCII without escapes; a document with any other text is left to the mapper. For one thread,
 * while the document is written.
 */
public final class ExactJson {
    private static final int DECIMAL = 10;

    private final byte @Nullable [] bytes;
    private int at;
    private boolean more;
    private boolean plain = true;

    private ExactJson(byte @Nullable [] bytes) {
        this.bytes = bytes;
    }

    /**
     * Writes a document.
     *
     * @param content called twice, says the same both times
     * @return null where a text is not plain
     */
    public static byte @Nullable [] write(Consumer<ExactJson> content) {
        var count = new ExactJson(null);
        content.accept(count);
        if (!count.plain) {
            return null;
        }
        var bytes = new byte[count.at];
        content.accept(new ExactJson(bytes));
        return bytes;
    }

    /** Begins an object. */
    public ExactJson begin() {
        more = false;
        return put('{');
    }

    /** Begins an object that is a field. */
    public ExactJson begin(String name) {
        return name(name).begin();
    }

    /** Ends an object. */
    public ExactJson end() {
        more = true;
        return put('}');
    }

    /** A field that is a text; nothing where that is null, as for all others. */
    public ExactJson field(String name, @Nullable String text) {
        return text == null ? this : name(name).put('"').text(text).put('"');
    }

    /** A field that is a value of any kind. */
    public ExactJson field(String name, @Nullable RawJson value) {
        return value == null ? this : name(name).raw(value.bytes());
    }

    /** A field that is a whole number. */
    public ExactJson field(String name, long number) {
        name(name);
        if (number < 0) {
            return text(Long.toString(number));
        }
        int digits = 1;
        for (long rest = number / DECIMAL; rest > 0; rest /= DECIMAL) {
            digits++;
        }
        if (bytes != null) {
            long rest = number;
            for (int i = at + digits - 1; i >= at; i--) {
                bytes[i] = (byte) ('0' + rest % DECIMAL);
                rest /= DECIMAL;
            }
        }
        at += digits;
        return this;
    }

    private ExactJson name(String name) {
        if (more) {
            put(',');
        }
        more = true;
        return put('"').text(name).put('"').put(':');
    }

    /** One character of ASCII as it is, such as a line break after the document. */
    public ExactJson put(char character) {
        if (bytes != null) {
            bytes[at] = (byte) character;
        }
        at++;
        return this;
    }

    private ExactJson raw(byte[] value) {
        if (bytes != null) {
            System.arraycopy(value, 0, bytes, at, value.length);
        }
        at += value.length;
        return this;
    }

    private ExactJson text(String text) {
        int length = text.length();
        if (bytes == null) {
            for (int i = 0; i < length && plain; i++) {
                plain = isPlain(text.charAt(i));
            }
        } else {
            for (int i = 0; i < length; i++) {
                bytes[at + i] = (byte) text.charAt(i);
            }
        }
        at += length;
        return this;
    }

    private static boolean isPlain(char character) {
        return character >= ' ' && character <= '~' && character != '"' && character != '\\';
    }
}
