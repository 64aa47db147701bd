package dev.perigee.console;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A viewer's position on a board. It is all that is kept of a viewer: a slow one gets fewer
 * updates, each with the newest state, and no queue grows for it.
 *
 * @param board id of the board, as each starts from version 0
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
