package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Detector of {@code isError} in a server's result. Results without these bytes are not parsed: in
 * a text the word stands between escaped quotes, so only a field of this name can look like it.
 */
final class ErrorFlag {
    private static final byte[] FIELD = "\"isError\"".getBytes(StandardCharsets.UTF_8);

    private ErrorFlag() {}

    private record Flagged(@JsonProperty("isError") @Nullable Boolean isError) {}

    static boolean isSet(RawJson result) {
        if (!mayBeSet(result.bytes())) {
            return false;
        }
        try {
            return Boolean.TRUE.equals(Json.read(result, Flagged.class).isError());
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    private static boolean mayBeSet(byte[] bytes) {
        int last = bytes.length - FIELD.length;
        for (int at = 0; at <= last; at++) {
            if (bytes[at] == '"' && bytes[at + 1] == 'i' && matches(bytes, at)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] bytes, int at) {
        for (int i = 2; i < FIELD.length; i++) {
            if (bytes[at + i] != FIELD[i]) {
                return false;
            }
        }
        return true;
    }
}
