package dev.perigee.local.behaviour;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One pair that differs.
 *
 * @param about a call's id or a process
 * @param key team and user, where it is a call
 * @param at milliseconds since 1970, 0 where there is no time
 * @param arguments of a call, as JSON; null for none
 * @param before what the first recording has; null for nothing
 * @param after what the second has; null for nothing
 */
public record Example(
        String about,
        String key,
        long at,
        @Nullable String arguments,
        @Nullable String before,
        @Nullable String after,
        List<Change> changes) {
    /** What is longer is cut, so that a report stays readable. */
    private static final int LONGEST = 8_000;

    public Example {
        changes = List.copyOf(changes);
    }

    static Example of(String process, @Nullable Object before, @Nullable Object after) {
        return new Example(process, "", 0, null, text(before), text(after), List.of());
    }

    static Example of(JsonNode call, @Nullable JsonNode before, @Nullable JsonNode after) {
        return new Example(
                call.path("base").asString(""),
                call.path("key").asString(""),
                call.path("at").asLong(0),
                text(call.get("arguments")),
                text(before),
                text(after),
                List.of());
    }

    Example with(List<Change> found) {
        return new Example(about, key, at, arguments, before, after, found);
    }

    private static @Nullable String text(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        var text = value instanceof JsonNode json ? json.toPrettyString() : value.toString();
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "… (cut)";
    }
}
