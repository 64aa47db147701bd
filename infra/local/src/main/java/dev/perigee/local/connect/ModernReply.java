package dev.perigee.local.connect;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Replies as revision 2026-07-28 has them: with the kind of the result, and for how long what kind
 * of cache may have it. Nothing may be cached unless a server said otherwise. Pure.
 */
final class ModernReply {
    private static final Set<String> CACHEABLE =
            Set.of(
                    "server/discover",
                    "tools/list",
                    "prompts/list",
                    "resources/list",
                    "resources/templates/list",
                    "resources/read");

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;

    private record Coded(long code) {}

    private ModernReply() {}

    /**
     * The reply to a client's latest request of a call.
     *
     * @param id of that request
     * @param reply with any id
     */
    static RawJson of(RawJson reply, RawJson id, String method) {
        var read = JsonRpc.read(reply.bytes());
        if (read.error() != null) {
            return Messages.refusal(id, read.error());
        }
        var result = read.result();
        if (result == null || !JsonObjects.isObject(result)) {
            return Messages.result(id, result == null ? RawJson.EMPTY_OBJECT : result);
        }
        var members = JsonObjects.members(result);
        members.putIfAbsent("resultType", Json.raw("complete"));
        if (CACHEABLE.contains(method)) {
            members.putIfAbsent("ttlMs", RawJson.of("0"));
            // A server does not know that it is asked for one of several users.
            members.put("cacheScope", Json.raw("private"));
        }
        return Messages.result(id, members);
    }

    /** The reply that asks for input. */
    static RawJson inputRequired(RawJson id, Map<String, RawJson> requests, String state) {
        var result = new LinkedHashMap<String, Object>();
        result.put("resultType", "input_required");
        result.put("inputRequests", requests);
        result.put("requestState", state);
        return Messages.result(id, result);
    }

    /** The status of HTTP that says the same as an error, where it is all of the response. */
    static int status(RawJson reply) {
        var error = JsonRpc.read(reply.bytes()).error();
        if (error == null) {
            return OK;
        }
        long code = Json.read(error, Coded.class).code();
        if (code == Messages.METHOD_NOT_FOUND) {
            return NOT_FOUND;
        }
        return code == Messages.MISSING_CAPABILITY ? BAD_REQUEST : OK;
    }
}
