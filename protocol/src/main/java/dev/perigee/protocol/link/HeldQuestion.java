package dev.perigee.protocol.link;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Open question of a call that waits in no process: all that a worker needs, besides the request,
 * to go on with a call which asked on another worker. It is part of the question's entry, of the
 * answer to an attach and of an order, and never public: what the server keeps in it is a secret
 * between server and fleet.
 *
 * @param inputId the question's id
 * @param methods of the question's requests, by their names
 * @param requestState the server's own words, sent back with the responses; null where it gave none
 * @param rounds how often the server was asked so far, at least 1
 * @param configHash fingerprint of the configuration of the server that asked
 * @param expiresAt when the call ends unless somebody has answered
 * @param inputUntil when the time is over that all questions of the call have together, if this one
 *     stays open
 * @param leftMs of the call's time, which stands still, in milliseconds
 * @param mostLeftMs the same, if progress extends it as far as it may
 */
public record HeldQuestion(
        String inputId,
        Map<String, String> methods,
        @Nullable String requestState,
        int rounds,
        String configHash,
        Instant expiresAt,
        Instant inputUntil,
        long leftMs,
        long mostLeftMs) {
    public HeldQuestion {
        Require.present(inputId, "input_id");
        methods = new LinkedHashMap<>(Require.present(methods, "methods"));
        Require.present(configHash, "config_hash");
        Require.present(expiresAt, "expires_at");
        Require.present(inputUntil, "input_until");
    }

    /**
     * Reads one.
     *
     * @throws InvalidRecordException when it is none
     */
    public static HeldQuestion read(RawJson json) {
        return Json.read(json, HeldQuestion.class);
    }

    /** Everything but the server's own words. */
    @Override
    public String toString() {
        return "HeldQuestion[" + inputId + ", rounds=" + rounds + ", " + expiresAt + "]";
    }
}
