package dev.perigee.worker.tool;

import dev.perigee.protocol.json.ExactJson;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * {@code _meta} of an MCP request: what Perigee says there, and what the backend does, whose own
 * bytes are kept. Pure.
 */
final class RequestMetaJson {
    /** Bytes of an object without fields. */
    private static final int NOTHING = 2;

    private RequestMetaJson() {}

    /**
     * The object, null where there is nothing to say.
     *
     * @param traceparent checked: hexadecimal digits and dashes
     * @param tracestate null where nothing goes with that
     * @param own an object without names of Perigee's
     */
    static @Nullable RawJson of(
            @Nullable String traceparent,
            @Nullable String tracestate,
            @Nullable Long progressToken,
            @Nullable RawJson own) {
        var plain = own == null ? plain(traceparent, tracestate, progressToken) : null;
        if (plain != null) {
            return plain.length == NOTHING ? null : RawJson.ofBytes(plain);
        }
        var said = new StringBuilder();
        if (traceparent != null) {
            said.append(",\"traceparent\":\"").append(traceparent).append('"');
        }
        if (tracestate != null) {
            said.append(",\"tracestate\":").append(Json.raw(tracestate).text());
        }
        if (progressToken != null) {
            said.append(",\"progressToken\":").append(progressToken.longValue());
        }
        if (own != null && !isEmpty(own)) {
            said.append(',').append(inside(own));
        }
        return said.isEmpty() ? null : RawJson.of("{" + said.substring(1) + "}");
    }

    private static byte @Nullable [] plain(
            @Nullable String traceparent,
            @Nullable String tracestate,
            @Nullable Long progressToken) {
        return ExactJson.write(
                out -> {
                    out.begin().field("traceparent", traceparent).field("tracestate", tracestate);
                    if (progressToken != null) {
                        out.field("progressToken", progressToken);
                    }
                    out.end();
                });
    }

    /**
     * The parameters with {@code _meta}.
     *
     * @throws InvalidRecordException when they have one of their own
     */
    static RawJson into(RawJson params, @Nullable RawJson meta) {
        if (meta == null) {
            return params;
        }
        if (Json.tree(params.bytes()).has("_meta")) {
            throw InvalidRecordException.invalid("field arguments has _meta, which meta is for");
        }
        var rest = isEmpty(params) ? "" : "," + inside(params);
        return RawJson.of("{\"_meta\":" + meta.text() + rest + "}");
    }

    private static boolean isEmpty(RawJson object) {
        return inside(object).isBlank();
    }

    private static String inside(RawJson object) {
        var text = object.text();
        return text.substring(1, text.length() - 1);
    }
}
