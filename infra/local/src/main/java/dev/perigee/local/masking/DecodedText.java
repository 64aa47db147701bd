package dev.perigee.local.masking;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A text with its percent-encodings and the escapes of JSON resolved, whichever characters their
 * writer encoded and in which case, and where each character stood in the text as it is written.
 * Twice as much encoded texts are decoded again. Memory is in proportion to the text. Immutable.
 *
 * @param text what is decoded
 * @param starts where each of its characters begins in the written text; one more for the end
 */
@SuppressWarnings("ArrayRecordComponent")
record DecodedText(String text, int[] starts) {
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    /** The text as it is written. */
    static DecodedText of(String written) {
        var starts = new int[written.length() + 1];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = i;
        }
        return new DecodedText(written, starts);
    }

    /** The text decoded once more; null where there is nothing to decode. */
    @Nullable DecodedText decoded() {
        if (text.indexOf('%') < 0 && text.indexOf('\\') < 0) {
            return null;
        }
        var to = new StringBuilder(text.length());
        var from = new int[text.length() + 1];
        int at = 0;
        while (at < text.length()) {
            int before = to.length();
            int next = decode(at, to);
            for (int i = before; i < to.length(); i++) {
                from[i] = starts[at];
            }
            at = next;
        }
        from[to.length()] = starts[text.length()];
        return to.length() == text.length() ? null : new DecodedText(to.toString(), from);
    }

    /** Appends the character at a position; returns the position behind it. */
    private int decode(int at, StringBuilder to) {
        char first = text.charAt(at);
        if (first == '%' && hex(at + 1, 2) >= 0) {
            return percent(at, to);
        }
        if (first == '\\' && at + 1 < text.length()) {
            int escape = ESCAPES.indexOf(text.charAt(at + 1));
            if (escape >= 0) {
                to.append(ESCAPED.charAt(escape));
                return at + 2;
            }
            if (text.charAt(at + 1) == 'u' && hex(at + 2, 4) >= 0) {
                to.append((char) hex(at + 2, 4));
                return at + 6;
            }
        }
        to.append(first);
        return at + 1;
    }

    private int percent(int at, StringBuilder to) {
        int first = hex(at + 1, 2);
        int length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        var utf8 = new byte[length];
        for (int i = 0; i < length; i++) {
            int place = at + 3 * i;
            int value = place < text.length() && text.charAt(place) == '%' ? hex(place + 1, 2) : -1;
            if (value < 0 || (i > 0 && (value & 0xC0) != 0x80)) {
                to.append((char) first);
                return at + 3;
            }
            utf8[i] = (byte) value;
        }
        to.append(new String(utf8, StandardCharsets.UTF_8));
        return at + 3 * length;
    }

    /** The number that so many hexadecimal digits at a position are; -1 where they are none. */
    private int hex(int at, int digits) {
        if (at + digits > text.length()) {
            return -1;
        }
        int value = 0;
        for (int i = at; i < at + digits; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            value = value * 16 + digit;
        }
        return value;
    }
}
