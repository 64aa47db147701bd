package dev.perigee.protocol.tool;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Set;

/**
 * Rules of a request's {@code meta}: a JSON object of at most {@link #MAX_BYTES} that becomes part
 * of the MCP request's {@code _meta}, without the names that MCP keeps for itself. Those are {@code
 * progressToken}, trace context, and all whose prefix has {@code modelcontextprotocol} or {@code
 * mcp} as its first or second label. Pure.
 */
public final class RequestMeta {
    /** Largest object. */
    public static final int MAX_BYTES = 16 * 1024;

    private static final Set<String> RESERVED =
            Set.of("progressToken", "traceparent", "tracestate", "baggage");
    private static final Set<String> RESERVED_LABELS = Set.of("modelcontextprotocol", "mcp");

    private RequestMeta() {}

    /**
     * Checks one.
     *
     * @throws InvalidRecordException when it is too large, no object, or has a reserved name
     */
    static void require(RawJson meta) {
        if (meta.bytes()[0] != '{') {
            throw InvalidRecordException.invalid("field meta is not a JSON object");
        }
        if (meta.size() > MAX_BYTES) {
            throw InvalidRecordException.invalid(
                    "field meta is larger than " + MAX_BYTES + " bytes");
        }
        for (var name : Json.tree(meta.bytes()).propertyNames()) {
            if (isReserved(name)) {
                throw InvalidRecordException.invalid(
                        "field meta has a name that MCP reserves: progressToken, traceparent,"
                                + " tracestate, baggage, and prefixes of modelcontextprotocol and"
                                + " mcp");
            }
        }
    }

    /** Whether MCP keeps this name for itself. */
    static boolean isReserved(String name) {
        int slash = name.indexOf('/');
        if (slash < 0) {
            return RESERVED.contains(name);
        }
        var labels = name.substring(0, slash).split("\\.", 3);
        return RESERVED_LABELS.contains(labels[0])
                || (labels.length > 1 && RESERVED_LABELS.contains(labels[1]));
    }
}
