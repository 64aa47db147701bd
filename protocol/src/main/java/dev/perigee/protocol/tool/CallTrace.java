package dev.perigee.protocol.tool;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads of records what became of a call: of a request by its id, or of all with one trace. What
 * was asked and answered is left out, but for names and errors. Pure.
 *
 * @param id a request's, or the 32 digits of a trace
 */
public record CallTrace(String id) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.:-]+");

    /** The topics whose records tell of calls. */
    public static List<Topic> topics() {
        return List.of(Topic.TOOL_REQUESTS, Topic.TOOL_RESULTS, Topic.DEAD_LETTERS);
    }

    /**
     * A record that is about the call.
     *
     * @param requestId of the request, where a trace was asked for, which may have several
     * @param time of the record, by the broker
     * @param what {@code asked}, {@code cancelled}, {@code answered} or {@code dead letter}
     * @param record as topic-partition@offset
     * @param text for people; others wrote parts of it
     */
    public record Step(String requestId, Instant time, String what, String record, String text) {
        /** Whether the request has its answer by this. */
        public boolean isAnswer() {
            return what.equals("answered");
        }
    }

    /**
     * The step that a record is, null where it is about something else.
     *
     * @param record as topic-partition@offset
     * @param header the text of the last header of a name, empty where there is none
     */
    public @Nullable Step step(
            Topic topic,
            String record,
            Instant time,
            byte @Nullable [] value,
            UnaryOperator<String> header) {
        boolean traced = isTraced(header.apply(Headers.TRACEPARENT));
        if (value == null || !(traced || mayBeIn(value))) {
            return null;
        }
        var json = read(value);
        if (json == null || !(traced || json.path("request_id").asString("").equals(id))) {
            return null;
        }
        var request = json.path("request_id").asString("");
        if (topic == Topic.TOOL_REQUESTS) {
            boolean cancel = json.path("method").asString("").equals("cancel");
            return new Step(request, time, cancel ? "cancelled" : "asked", record, asked(json));
        }
        if (topic == Topic.TOOL_RESULTS) {
            return new Step(request, time, "answered", record, answered(json));
        }
        return new Step(
                request,
                time,
                "dead letter",
                record,
                header.apply(Headers.REASON) + ": " + header.apply(Headers.DETAIL));
    }

    /** Whether it may be there, before it is read: results are large, and most are others'. */
    private boolean mayBeIn(byte[] value) {
        if (!PLAIN.matcher(id).matches()) {
            // JSON can write it in several ways.
            return true;
        }
        var wanted = id.getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at <= value.length - wanted.length; at++) {
            if (Arrays.equals(value, at, at + wanted.length, wanted, 0, wanted.length)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable JsonNode read(byte[] value) {
        try {
            return Json.tree(value);
        } catch (InvalidRecordException e) {
            // No JSON has no request id.
            return null;
        }
    }

    /** Version-trace-span-flags, as W3C trace context has it. */
    private boolean isTraced(String traceparent) {
        var parts = traceparent.split("-", -1);
        return parts.length == 4 && parts[1].equals(id);
    }

    private StringBuilder begin(JsonNode value) {
        var requestId = value.path("request_id").asString("");
        return new StringBuilder(requestId.equals(id) ? "" : requestId + ": ");
    }

    private String asked(JsonNode request) {
        var text = begin(request);
        text.append(request.path("method").asString("?"));
        if (request.hasNonNull("tool_path")) {
            text.append(' ').append(request.path("tool_path").asString(""));
        }
        text.append(" of team ").append(request.path("team_id").asString("?"));
        text.append(", user ").append(request.path("user_id").asString("?"));
        if (request.hasNonNull("timeout_ms")) {
            text.append(", within ").append(request.path("timeout_ms").asLong(0)).append(" ms");
        }
        return text.toString();
    }

    private String answered(JsonNode result) {
        var text = begin(result).append(result.path("outcome").asString("?"));
        var error = result.path("error");
        if (error.isObject()) {
            text.append(' ').append(error.path("code").asString("?"));
            text.append(": ").append(error.path("message").asString(""));
        }
        text.append(", sent ").append(result.path("attempts").asInt(0)).append(" times, ");
        text.append(result.path("duration_ms").asLong(0)).append(" ms at the worker");
        if (result.hasNonNull("process_id")) {
            text.append(", by ").append(result.path("process_id").asString(""));
        }
        return text.toString();
    }
}
