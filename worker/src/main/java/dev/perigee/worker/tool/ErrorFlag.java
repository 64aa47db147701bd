package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Detector of {@code isError} in a server's result. Results without these bytes are not parsed. */
final class ErrorFlag {
    private static final byte[] FIELD = "\"isError\"".getBytes(StandardCharsets.UTF_8);

    private ErrorFlag() {}

    private record Flagged(@JsonProperty("isError") @Nullable Boolean isError) {}

    static boolean isSet(RawJson result) {
        if (!JsonBytes.have(result, FIELD)) {
            return false;
        }
        try {
            return Boolean.TRUE.equals(Json.read(result, Flagged.class).isError());
        } catch (InvalidRecordException e) {
            return false;
        }
    }
}
