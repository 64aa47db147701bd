package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.ExactJson;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A tool request as an MCP request to one server. The arguments are passed on unread.
 *
 * @param method an MCP method
 * @param params its parameters, a JSON object
 * @param tool the tool's name, null where the request is not a call
 * @param progressToken by which the server reports progress, null where nobody accepts that
 */
public record ServerRequest(
        String method, RawJson params, @Nullable String tool, @Nullable Long progressToken) {
    /** Longest URI that can be subscribed to, in bytes. */
    public static final int MAX_SUBSCRIBED_BYTES = 2048;

    private static final int TRACE_PARTS = 4;
    private static final int LONGEST_PART = 32;

    /** Tokens are integers that JavaScript has exactly. */
    private static final long TOKENS = 1L << 53;

    private record Call(
            String name, RawJson arguments, @JsonProperty("_meta") @Nullable RawJson meta) {}

    private record Completion(@Nullable RawJson ref, @Nullable RawJson argument) {}

    private record Read(String uri, @JsonProperty("_meta") @Nullable RawJson meta) {}

    /** A request that reports no progress. */
    public ServerRequest(String method, RawJson params, @Nullable String tool) {
        this(method, params, tool, null);
    }

    /**
     * Reads a request that {@link ToolMethod#needsServer()}.
     *
     * @param traceparent what the server is to continue; one that is none is left out
     * @param tracestate checked, and goes with the traceparent
     * @throws InvalidRecordException when a name is missing or the arguments are no object
     */
    public static ServerRequest of(
            ToolMethod method,
            ToolRequest request,
            @Nullable String traceparent,
            @Nullable String tracestate) {
        var path = ToolPath.parse(request.toolPath());
        var arguments = arguments(request.arguments());
        var token =
                request.accepts(CallPart.PROGRESS)
                        ? (Long) ThreadLocalRandom.current().nextLong(1, TOKENS)
                        : null;
        var parent = valid(traceparent);
        var state = parent == null ? null : tracestate;
        var meta = RequestMetaJson.of(parent, state, token, request.meta());
        return switch (method) {
            case TOOLS_CALL -> {
                var name = name(path, "{server_slug}:{tool}");
                yield new ServerRequest(
                        method.wireName(), call(name, arguments, meta), name, token);
            }
            case PROMPTS_GET ->
                    new ServerRequest(
                            method.wireName(),
                            call(name(path, "{server_slug}:{prompt}"), arguments, meta),
                            null,
                            token);
            case RESOURCES_READ ->
                    asIs(method, new Read(name(path, "{server_slug}|{uri}"), meta), token);
            case RESOURCES_SUBSCRIBE, RESOURCES_UNSUBSCRIBE -> {
                var uri = name(path, "{server_slug}|{uri}");
                if (uri.getBytes(StandardCharsets.UTF_8).length > MAX_SUBSCRIBED_BYTES) {
                    throw InvalidRecordException.invalid(
                            "the URI has more than " + MAX_SUBSCRIBED_BYTES + " bytes");
                }
                yield asIs(method, new Read(uri, meta), token);
            }
            case TASKS_GET, TASKS_CANCEL -> {
                if (TaskReport.idIn(arguments) == null) {
                    throw InvalidRecordException.invalid(
                            "field arguments has no taskId of a server's task");
                }
                yield withMeta(method, arguments, token, request);
            }
            case COMPLETION_COMPLETE -> {
                var completion = Json.read(arguments, Completion.class);
                if (!isObject(completion.ref()) || !isObject(completion.argument())) {
                    throw InvalidRecordException.invalid(
                            "field arguments has no objects ref and argument");
                }
                yield withMeta(method, arguments, token, request);
            }
            case RESOURCES_LIST, RESOURCES_TEMPLATES_LIST, PROMPTS_LIST, TASKS_LIST ->
                    withMeta(method, arguments, token, request);
            case TOOLS_LIST, TOOLS_SEARCH, CANCEL, CALL_RESPOND ->
                    throw new IllegalArgumentException(method + " is not for one server");
        };
    }

    private static ServerRequest withMeta(
            ToolMethod method, RawJson arguments, @Nullable Long token, ToolRequest request) {
        return new ServerRequest(
                method.wireName(),
                RequestMetaJson.into(
                        arguments, RequestMetaJson.of(null, null, token, request.meta())),
                null,
                token);
    }

    private static RawJson call(String name, RawJson arguments, @Nullable RawJson meta) {
        var plain =
                ExactJson.write(
                        out ->
                                out.begin()
                                        .field("name", name)
                                        .field("arguments", arguments)
                                        .field("_meta", meta)
                                        .end());
        return plain == null ? Json.raw(new Call(name, arguments, meta)) : RawJson.ofBytes(plain);
    }

    private static ServerRequest asIs(ToolMethod method, Read params, @Nullable Long token) {
        return new ServerRequest(method.wireName(), Json.raw(params), null, token);
    }

    private static String name(ToolPath path, String form) {
        if (path.name() == null) {
            throw InvalidRecordException.invalid("field tool_path is not " + form);
        }
        return path.name();
    }

    private static RawJson arguments(@Nullable RawJson arguments) {
        if (arguments == null) {
            return RawJson.EMPTY_OBJECT;
        }
        if (!isObject(arguments)) {
            throw InvalidRecordException.invalid("field arguments is not a JSON object");
        }
        return arguments;
    }

    private static boolean isObject(@Nullable RawJson json) {
        return json != null && json.bytes()[0] == '{';
    }

    private static @Nullable String valid(@Nullable String traceparent) {
        return traceparent != null && isTraceparent(traceparent) ? traceparent : null;
    }

    /** Four parts of lower-case hexadecimal digits, the first of two. */
    private static boolean isTraceparent(String text) {
        int parts = 0;
        int length = 0;
        for (int i = 0; i <= text.length(); i++) {
            char next = i == text.length() ? '-' : text.charAt(i);
            if (next == '-') {
                if (length < 2 || length > (parts == 0 ? 2 : LONGEST_PART)) {
                    return false;
                }
                parts++;
                length = 0;
            } else if ((next >= '0' && next <= '9') || (next >= 'a' && next <= 'f')) {
                length++;
            } else {
                return false;
            }
        }
        return parts == TRACE_PARTS;
    }
}
