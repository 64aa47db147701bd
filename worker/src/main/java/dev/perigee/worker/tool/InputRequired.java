package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.worker.mcp.JsonMembers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answer of a modern server instead of a result: it needs something first. Its call is made again
 * with the responses. Immutable.
 *
 * @param requests what it asks, by name; empty where it only wants to be called again
 * @param state for the next round, passed back as it came; null where there is none
 */
public record InputRequired(Map<String, Asked> requests, @Nullable RawJson state) {
    private static final RawJson TYPE = RawJson.of("\"input_required\"");

    private record Wire(
            @JsonProperty("resultType") @Nullable RawJson type,
            @JsonProperty("inputRequests") @Nullable RawJson requests,
            @JsonProperty("requestState") @Nullable RawJson state) {}

    private record Request(@Nullable String method, @Nullable RawJson params) {}

    /** One request. */
    public record Asked(String method, RawJson params) {}

    /**
     * Reads a result.
     *
     * @return null where it is one
     * @throws InvalidRecordException when it is none, and not as MCP has it
     */
    public static @Nullable InputRequired read(RawJson result) {
        if (result.bytes()[0] != '{') {
            return null;
        }
        var wire = Json.read(result, Wire.class);
        var type = wire.type();
        if (type == null || !type.equals(TYPE)) {
            return null;
        }
        var requests = new LinkedHashMap<String, Asked>();
        if (wire.requests() != null) {
            JsonMembers.of(wire.requests())
                    .forEach((name, request) -> requests.put(name, asked(request)));
        }
        if (wire.state() != null && wire.state().bytes()[0] != '"') {
            throw InvalidRecordException.invalid("field requestState is not a string");
        }
        return new InputRequired(requests, wire.state());
    }

    private static Asked asked(RawJson json) {
        var request = Json.read(json, Request.class);
        return new Asked(
                Require.text(request.method(), "method"),
                request.params() == null ? RawJson.EMPTY_OBJECT : request.params());
    }

    /** Bytes of what it asks and keeps. */
    public int size() {
        int asked =
                requests.entrySet().stream()
                        .mapToInt(each -> each.getKey().length() + each.getValue().params().size())
                        .sum();
        return asked + (state == null ? 0 : state.size());
    }

    /** Requests and state are the server's. */
    @Override
    public String toString() {
        return "InputRequired[" + requests.size() + " requests]";
    }
}
