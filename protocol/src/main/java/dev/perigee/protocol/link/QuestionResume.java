package dev.perigee.protocol.link;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State of a call whose modern server asked, with which another worker goes on when the worker is
 * lost that has it: nothing runs for the call until the question is answered. The gateway keeps it
 * and passes it on.
 *
 * @param inputId the question, which is public
 * @param methods of what was asked, by name
 * @param given responses that a worker gives by itself, by name
 * @param state the server's own for the next round, null where it has none
 * @param expiresAt of the question
 * @param leftMs time that the call has left when the question is answered, in milliseconds
 * @param waitedMs how long questions of the call had waited before this one, in milliseconds
 * @param rounds how often the server was asked
 */
public record QuestionResume(
        String inputId,
        Map<String, String> methods,
        Map<String, RawJson> given,
        @Nullable RawJson state,
        Instant expiresAt,
        long leftMs,
        long waitedMs,
        int rounds) {
    /**
     * A resume.
     *
     * @throws InvalidRecordException when a field is missing
     */
    public QuestionResume {
        Require.present(inputId, "input_id");
        Require.present(expiresAt, "expires_at");
        methods = new LinkedHashMap<>(Require.present(methods, "methods"));
        given = new LinkedHashMap<>(Require.present(given, "given"));
    }

    /** State and responses are the server's. */
    @Override
    public String toString() {
        return "QuestionResume[" + inputId + ", " + rounds + " rounds]";
    }
}
