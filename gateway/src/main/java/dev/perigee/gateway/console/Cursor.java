package dev.perigee.gateway.console;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * How far a viewer knows a board. It is all that is kept of a viewer: a slow one is told less often
 * and finds the newest, and no queue grows for it.
 *
 * @param board which board, as each begins anew
 */
record Cursor(String board, long version) {
    static final Cursor NONE = new Cursor("", 0);

    /** {@link #NONE} when the text is no cursor. */
    static Cursor parse(@Nullable String text) {
        int dot = text == null ? -1 : text.indexOf('.');
        if (text == null || dot < 0) {
            return NONE;
        }
        try {
            return new Cursor(text.substring(0, dot), Long.parseLong(text.substring(dot + 1)));
        } catch (NumberFormatException e) {
            return NONE;
        }
    }

    @Override
    @JsonValue
    public String toString() {
        return board + "." + version;
    }
}
