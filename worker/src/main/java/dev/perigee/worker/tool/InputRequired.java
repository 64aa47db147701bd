package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.JsonMembers;
import dev.perigee.worker.mcp.ServerQuestion;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Result of a modern server that asks before it answers ({@code input_required}), held to what may
 * pass; and the parameters of the request by which it is asked again. All of it is the server's,
 * and no message about it repeats any of it. Pure.
 *
 * @param requests to be answered, by the server's names; empty where it only wants to be asked
 *     again
 * @param requestState the server's own, to be sent back as it is; null where it gave none
 */
public record InputRequired(Map<String, Asked> requests, @Nullable String requestState) {
    /** Largest {@code inputRequests} of a result, in bytes. */
    public static final int MAX_REQUESTS_BYTES = 256 << 10;

    /** Largest {@code requestState}, in bytes. */
    public static final int MAX_STATE_BYTES = 64 << 10;

    /** Requests of one result. */
    public static final int MOST_REQUESTS = 16;

    private static final int MAX_NAME_CHARACTERS = 200;
    private static final byte[] TYPE = "\"input_required\"".getBytes(StandardCharsets.UTF_8);
    private static final Set<String> METHODS = Set.of(ServerQuestion.ELICIT, ServerQuestion.SAMPLE);

    /**
     * One request.
     *
     * @param method that somebody can answer
     * @param params the server's own, with its secrets
     */
    public record Asked(String method, RawJson params) {}

    private record Typed(@JsonProperty("resultType") @Nullable String resultType) {}

    private record Wire(
            @JsonProperty("inputRequests") @Nullable RawJson inputRequests,
            @JsonProperty("requestState") @Nullable String requestState) {}

    private record Request(@Nullable String method, @Nullable RawJson params) {}

    /** Whether a result asks. Others, however large, are not parsed. */
    public static boolean isIn(RawJson result) {
        if (!JsonBytes.have(result, TYPE)) {
            return false;
        }
        try {
            return "input_required".equals(Json.read(result, Typed.class).resultType());
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    /**
     * Reads one.
     *
     * @throws InvalidRecordException when it cannot be asked so; for people
     */
    public static InputRequired read(RawJson result) {
        var wire = wire(result);
        var state = wire.requestState();
        if (state != null && bytes(state) > MAX_STATE_BYTES) {
            throw invalid("its requestState has more than %d bytes".formatted(MAX_STATE_BYTES));
        }
        var requests = new LinkedHashMap<String, Asked>();
        var given = wire.inputRequests();
        if (given != null) {
            if (given.size() > MAX_REQUESTS_BYTES) {
                throw invalid("its question is larger than %d bytes".formatted(MAX_REQUESTS_BYTES));
            }
            members(given).forEach((name, request) -> requests.put(name, asked(name, request)));
        }
        if (requests.size() > MOST_REQUESTS) {
            throw invalid("it asks more than %d things at once".formatted(MOST_REQUESTS));
        }
        if (requests.isEmpty() && state == null) {
            throw invalid("it names neither requests nor a state");
        }
        return new InputRequired(requests, state);
    }

    private static Wire wire(RawJson result) {
        try {
            return Json.read(result, Wire.class);
        } catch (InvalidRecordException e) {
            throw invalid("it is not as MCP has it");
        }
    }

    private static Map<String, RawJson> members(RawJson object) {
        try {
            return JsonMembers.of(object);
        } catch (InvalidRecordException e) {
            throw invalid("its inputRequests are no object");
        }
    }

    private static Asked asked(String name, RawJson request) {
        if (name.length() > MAX_NAME_CHARACTERS) {
            throw invalid("a name has more than %d characters".formatted(MAX_NAME_CHARACTERS));
        }
        try {
            var read = Json.read(request, Request.class);
            var method = read.method();
            var params = read.params();
            if (method != null && METHODS.contains(method) && isObject(params)) {
                return new Asked(method, params == null ? RawJson.EMPTY_OBJECT : params);
            }
        } catch (InvalidRecordException e) {
            // Said below.
        }
        throw invalid("one of its requests is none that a client answers");
    }

    private static boolean isObject(@Nullable RawJson params) {
        return params == null || params.bytes()[0] == '{';
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static InvalidRecordException invalid(String what) {
        return InvalidRecordException.invalid(what);
    }

    /**
     * The parameters of the next request: those of the first one, with the responses and the state
     * of this result.
     *
     * @param params of the first request
     * @param responses by the requests' names, null where none were asked for
     * @param requestState of this result, null where it had none
     */
    public static RawJson again(
            RawJson params,
            @Nullable Map<String, RawJson> responses,
            @Nullable String requestState) {
        var all = new LinkedHashMap<String, Object>(JsonMembers.of(params));
        if (responses != null) {
            all.put("inputResponses", responses);
        }
        if (requestState != null) {
            all.put("requestState", requestState);
        }
        return Json.raw(all);
    }

    /** Neither question nor state: both are the server's. */
    @Override
    public String toString() {
        return "InputRequired[" + requests.size() + " requests]";
    }
}
