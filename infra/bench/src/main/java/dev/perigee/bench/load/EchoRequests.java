package dev.perigee.bench.load;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * One user's requests to one server. They differ by their ids only and are made by copying bytes,
 * so that the requester costs the same whichever way they go.
 *
 * @param key of their records
 * @param offset of the id in a request
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EchoRequests(byte[] key, byte[] template, int offset) {
    private static final RawJson ARGUMENTS = RawJson.of("{\"message\":\"hi\"}");
    private static final long TIMEOUT_MS = 30_000;
    private static final int DIGITS = 12;

    /** Bytes of an id: of what a run's ids have in common, and of the number. */
    static final int ID_BYTES = 20;

    static EchoRequests of(RecordKey user, String serverSlug) {
        var id = "i".repeat(ID_BYTES);
        var request =
                ToolRequest.call(
                        id,
                        user.teamId(),
                        String.valueOf(user.userId()),
                        ToolPath.of(serverSlug, "echo"),
                        ARGUMENTS,
                        TIMEOUT_MS);
        var json = Json.write(request);
        return new EchoRequests(
                user.toString().getBytes(StandardCharsets.UTF_8),
                json,
                new String(json, StandardCharsets.ISO_8859_1).indexOf(id));
    }

    /** Those of these users, in their order. */
    static List<EchoRequests> of(List<RecordKey> users, String serverSlug) {
        return users.stream().map(user -> of(user, serverSlug)).toList();
    }

    /** Where the id is in every request: it comes first. */
    static int idOffset() {
        return of(new RecordKey("team", "user"), "echo").offset();
    }

    /** What the ids of one run begin with. */
    static String newRun() {
        return String.format(Locale.ROOT, "%08x", (int) System.nanoTime());
    }

    byte[] request(String run, long number) {
        var request = template.clone();
        for (int i = 0; i < run.length(); i++) {
            request[offset + i] = (byte) run.charAt(i);
        }
        long rest = number;
        for (int i = ID_BYTES - 1; i >= ID_BYTES - DIGITS; i--) {
            request[offset + i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return request;
    }

    /** The number in an id, -1 where it is another run's. */
    static long number(String run, byte[] id) {
        if (id.length != ID_BYTES) {
            return -1;
        }
        for (int i = 0; i < run.length(); i++) {
            if (id[i] != run.charAt(i)) {
                return -1;
            }
        }
        long number = 0;
        for (int i = ID_BYTES - DIGITS; i < ID_BYTES; i++) {
            number = number * 10 + id[i] - '0';
        }
        return number;
    }
}
