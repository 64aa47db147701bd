package dev.perigee.console;

import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cuts what others wrote to a length that a page can show. Pure. */
final class Text {
    /** Longest name or id. */
    static final int NAME = 300;

    /** Longest sentence or line. */
    static final int LINE = 2_000;

    /** Longest JSON of a call. */
    static final int JSON = 4_000;

    private Text() {}

    static String cut(String text, int max) {
        if (text.length() <= max) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
        return text.substring(0, end) + "… (" + text.length() + " characters)";
    }

    static @Nullable String cutOrNull(@Nullable String text, int max) {
        return text == null ? null : cut(text, max);
    }

    /** The beginning of a JSON value, without decoding the rest of a large one. */
    static @Nullable String cut(@Nullable RawJson json) {
        if (json == null) {
            return null;
        }
        if (json.size() <= JSON) {
            return json.text();
        }
        var begin = Arrays.copyOf(json.bytes(), JSON);
        int end = JSON;
        while (end > 0 && (begin[end - 1] & 0xC0) == 0x80) {
            end--;
        }
        // The last byte now begins a character, perhaps a cut one.
        if (end > 0 && begin[end - 1] < 0) {
            end--;
        }
        return new String(begin, 0, end, StandardCharsets.UTF_8) + "… (" + json.size() + " bytes)";
    }
}
