package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Members of JSON objects; values stay the bytes they were. Pure. */
final class JsonObjects {
    private static final RawJson NULL = RawJson.of("null");

    private JsonObjects() {}

    /** What the mapper makes of an object. */
    static final class Any {
        private final Map<String, RawJson> byName = new LinkedHashMap<>();

        @JsonAnySetter
        void set(String name, @Nullable RawJson value) {
            byName.put(name, value == null ? NULL : value);
        }
    }

    /**
     * The members by name, in order; a map of the caller's own.
     *
     * @throws InvalidRecordException when it is no object
     */
    static Map<String, RawJson> members(RawJson object) {
        return Json.read(object, Any.class).byName;
    }

    static boolean isObject(@Nullable RawJson json) {
        return json != null && json.size() > 0 && json.bytes()[0] == '{';
    }

    /** The text of a string, {@link #wellFormed}; null for any other value. */
    static @Nullable String text(@Nullable RawJson json) {
        return json == null || json.size() == 0 || json.bytes()[0] != '"'
                ? null
                : wellFormed(Json.tree(json.bytes()).asString(""));
    }

    /** The text with a question mark for each half of a character, which cannot be written. */
    static String wellFormed(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
