package dev.perigee.local.connect;

import dev.perigee.local.connect.OpenCalls.Call;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolResult;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Messages of how a call ended. A server's answer and a server's own error are passed on as they
 * are; an error of the fleet about the request is a JSON-RPC error, and one about the run of the
 * call a result with {@code isError}, which models read: {@code code: what happened and what to
 * do}. Pure.
 */
final class CallReply {
    private CallReply() {}

    /** By the fleet's answer. */
    static RawJson of(Call call, ToolResult answer) {
        return switch (answer.outcome()) {
            case SUCCESS, TOOL_ERROR -> {
                var result = answer.result();
                yield Messages.result(call.id(), result == null ? RawJson.EMPTY_OBJECT : result);
            }
            case FAILED -> {
                var error = answer.error();
                yield error == null
                        ? failed(call, "outcome_unknown", "The fleet gave no reason")
                        : of(call, error);
            }
        };
    }

    private static RawJson of(Call call, ToolError error) {
        var id = call.id();
        var ownCode = error.serverCode();
        if (error.code() == ErrorCode.SERVER_ERROR && ownCode != null) {
            return Messages.error(id, ownCode, error.message(), error.data());
        }
        var code = error.code().name().toLowerCase(Locale.ROOT);
        var text = code + ": " + error.message();
        return isAboutTheRequest(error.code())
                ? Messages.error(id, Messages.INVALID_PARAMS, text, facts(code, error))
                : failed(call, text, facts(code, error));
    }

    /** Only the result of a tool can say that it is an error. */
    private static RawJson failed(Call call, String text, Map<String, Object> facts) {
        return call.method() == ToolMethod.TOOLS_CALL
                ? Messages.result(call.id(), Messages.failedCall(text, facts))
                : Messages.error(call.id(), Messages.INTERNAL_ERROR, text, facts);
    }

    /** Without an answer of the fleet's. */
    static RawJson failed(Call call, String code, String message) {
        return failed(call, code + ": " + message, Map.of("code", code));
    }

    private static Map<String, Object> facts(String code, ToolError error) {
        var facts = new LinkedHashMap<String, Object>();
        facts.put("code", code);
        facts.put("retryable", error.retryable());
        var status = error.serverStatus();
        if (status != null) {
            facts.put("server_status", status.wireName());
        }
        return facts;
    }

    private static boolean isAboutTheRequest(ErrorCode code) {
        return switch (code) {
            case INVALID_REQUEST, FORBIDDEN, UNKNOWN_SERVER, UNKNOWN_TOOL, TOOL_DISABLED -> true;
            case REQUIRES_REAUTH,
                    PERMANENTLY_FAILED,
                    STOPPED,
                    UNAVAILABLE,
                    SERVER_UNREACHABLE,
                    SERVER_ERROR,
                    CRASHED,
                    TIMEOUT,
                    INPUT_TIMEOUT,
                    EXPIRED,
                    CANCELLED,
                    OVERLOADED,
                    TOO_LARGE,
                    WORKER_LOST,
                    OUTCOME_UNKNOWN,
                    EGRESS_REFUSED,
                    QUARANTINED ->
                    false;
        };
    }
}
