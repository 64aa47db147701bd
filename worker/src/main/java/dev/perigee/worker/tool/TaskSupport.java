package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tool's claim about tasks, as {@code execution.taskSupport} of the legacy era has it. */
public enum TaskSupport {
    /** Its calls are no tasks; so it is where a tool says nothing. */
    @JsonProperty("forbidden")
    FORBIDDEN,
    /** Who calls it decides. */
    @JsonProperty("optional")
    OPTIONAL,
    /** Its calls are tasks, and refused otherwise. */
    @JsonProperty("required")
    REQUIRED;

    /**
     * Reads it; what is none is as if nothing were said.
     *
     * @param execution the tool's, null where it has none
     */
    static TaskSupport in(@Nullable RawJson execution) {
        if (execution == null) {
            return FORBIDDEN;
        }
        var said = Json.tree(execution.bytes()).path("taskSupport").asString("");
        for (var support : values()) {
            if (support.name().toLowerCase(Locale.ROOT).equals(said)) {
                return support;
            }
        }
        return FORBIDDEN;
    }
}
