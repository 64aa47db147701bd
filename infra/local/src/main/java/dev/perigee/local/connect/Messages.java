package dev.perigee.local.connect;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON-RPC messages to a client. Pure. */
final class Messages {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;
    static final int HEADER_MISMATCH = -32020;
    static final int MISSING_CAPABILITY = -32021;
    static final int UNSUPPORTED_VERSION = -32022;

    /** Longest id or progress token, which outlives the message that it came in. */
    static final int MOST_ID_BYTES = 1 << 10;

    private static final RawJson NULL = RawJson.of("null");

    private Messages() {}

    /** Whether this is a string or a number, as ids and progress tokens are, and not too long. */
    static boolean isId(RawJson json) {
        if (json.size() > MOST_ID_BYTES) {
            return false;
        }
        byte first = json.bytes()[0];
        return first == '"' || first == '-' || (first >= '0' && first <= '9');
    }

    private static Map<String, Object> envelope() {
        var message = new LinkedHashMap<String, Object>();
        message.put("jsonrpc", JsonRpc.VERSION);
        return message;
    }

    /**
     * An answer.
     *
     * @param result a {@link RawJson} or a map
     */
    static RawJson result(RawJson id, Object result) {
        var message = envelope();
        message.put("id", id);
        message.put("result", result);
        return Json.raw(message);
    }

    /**
     * A refusal.
     *
     * @param id of the request; null where it is not known
     * @param data for programs; null for none
     */
    static RawJson error(@Nullable RawJson id, long code, String message, @Nullable Object data) {
        var error = new LinkedHashMap<String, Object>();
        error.put("code", code);
        error.put("message", message);
        if (data != null) {
            error.put("data", data);
        }
        var envelope = envelope();
        envelope.put("id", id == null ? NULL : id);
        envelope.put("error", error);
        return Json.raw(envelope);
    }

    static RawJson error(@Nullable RawJson id, long code, String message) {
        return error(id, code, message, null);
    }

    /** A refusal with an error that is one already. */
    static RawJson refusal(RawJson id, RawJson error) {
        var envelope = envelope();
        envelope.put("id", id);
        envelope.put("error", error);
        return Json.raw(envelope);
    }

    static RawJson request(long id, String method, RawJson params) {
        var message = envelope();
        message.put("id", id);
        message.put("method", method);
        message.put("params", params);
        return Json.raw(message);
    }

    static RawJson notification(String method, Map<String, Object> params) {
        var message = envelope();
        message.put("method", method);
        if (!params.isEmpty()) {
            message.put("params", params);
        }
        return Json.raw(message);
    }

    /**
     * The result of a call that failed before or without its server's answer, as models see it.
     *
     * @param text what happened and what to do
     * @param facts for programs
     */
    static Map<String, Object> failedCall(String text, Map<String, Object> facts) {
        var content = new LinkedHashMap<String, Object>();
        content.put("type", "text");
        content.put("text", text);
        var result = new LinkedHashMap<String, Object>();
        result.put("content", List.of(content));
        result.put("isError", true);
        result.put("_meta", Map.of("dev.perigee/error", facts));
        return result;
    }
}
