package dev.perigee.worker.admin;

import dev.perigee.protocol.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Whether a part is well, check by check. Asked at each request; a check does not block.
 *
 * @param checks what must hold, by a short name, in the order in which it is shown
 */
public record Health(Map<String, BooleanSupplier> checks) {

    /** A moment's answer. */
    record Answer(String status, Map<String, Boolean> checks) {
        boolean isUp() {
            return !checks.containsValue(false);
        }

        byte[] encode() {
            return Json.write(this);
        }
    }

    Answer ask() {
        var results = new LinkedHashMap<String, Boolean>();
        checks.forEach((name, check) -> results.put(name, check.getAsBoolean()));
        return new Answer(results.containsValue(false) ? "down" : "up", results);
    }
}
