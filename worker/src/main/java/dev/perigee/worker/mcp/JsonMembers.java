package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Members of JSON objects; values stay the bytes they were. Pure. */
public final class JsonMembers {
    private JsonMembers() {}

    /** What the mapper makes of an object. */
    static final class Any {
        private final Map<String, RawJson> byName = new LinkedHashMap<>();

        @JsonAnySetter
        void set(String name, @Nullable RawJson value) {
            byName.put(name, value == null ? RawJson.of("null") : value);
        }
    }

    /**
     * The members by name, in order.
     *
     * @throws InvalidRecordException when it is no object
     */
    public static Map<String, RawJson> of(RawJson object) {
        return Json.read(object, Any.class).byName;
    }
}
