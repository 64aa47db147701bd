package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingJson;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Brings the requests and commands of one recording together with their outcomes. Of an id that
 * comes twice the first record counts, as in a fleet. For one thread.
 */
final class Calls implements AutoCloseable {
    private static final String REPLAYED = "perigee-replay-id";

    private final Spill spill;
    private final boolean isOriginal;
    private final @Nullable Long since;

    /**
     * @param isOriginal the other recording is a replay of this one: calls are known by their own
     *     ids, though they may be copies themselves
     * @param since requests and commands before are not compared: what they led to was before the
     *     span
     */
    Calls(Path folder, String name, int parts, boolean isOriginal, @Nullable Long since) {
        this.isOriginal = isOriginal;
        this.spill = new Spill(folder, name, parts);
        this.since = since;
    }

    void add(RecordedRecord record) {
        var value = record.value();
        if (value == null) {
            return;
        }
        switch (record.topic()) {
            case TOOL_REQUESTS -> ask(record, value, value.path("request_id").asString(""));
            case COMMANDS -> ask(record, value, value.path("id").asString(""));
            case TOOL_RESULTS -> answer(value, value.path("request_id").asString(""));
            case COMMAND_RESULTS -> {
                if (!value.path("outcome").asString("").equals("acknowledged")) {
                    answer(value, value.path("command_id").asString(""));
                }
            }
            case STATUS,
                    TOOLS,
                    CATALOG,
                    USAGE,
                    LIFECYCLE,
                    LOGS,
                    REQUEST_LOGS,
                    CALL_EVENTS,
                    SERVER_EVENTS,
                    HEARTBEATS,
                    DEAD_LETTERS,
                    AUDIT,
                    STATE -> {
                // No part of a call.
            }
        }
    }

    private void ask(RecordedRecord record, JsonNode value, String id) {
        boolean isCopy = record.headers().containsKey("perigee-broadcast-of");
        if (id.isEmpty() || isCopy || (since != null && record.at() < since)) {
            return;
        }
        boolean isCancel = value.path("method").asString("").equals("cancel");
        if (isCancel) {
            return;
        }
        var ask = RecordingJson.MAPPER.createObjectNode();
        var base = isOriginal ? id : record.headers().getOrDefault(REPLAYED, id);
        ask.put("id", id).put("base", base);
        ask.put("key", record.key()).put("at", record.at()).put("what", what(value));
        if (value.has("arguments")) {
            ask.set("arguments", value.path("arguments"));
        }
        spill.add(id, ask);
    }

    /** A tool's path, another method's name with its path, or a command's kind. */
    private static String what(JsonNode value) {
        if (value.has("method")) {
            var method = value.path("method").asString("");
            var path = value.path("tool_path").asString("");
            return method.equals("tools/call") ? path : (method + " " + path).strip();
        }
        var payload = value.path("payload");
        var event = payload.path("event").asString(payload.path("action").asString(""));
        return (value.path("command_type").asString("") + " " + event).strip();
    }

    private void answer(JsonNode value, String id) {
        var answer = RecordingJson.MAPPER.createObjectNode();
        answer.put("id", id);
        var one = answer.putObject("answer");
        one.put("outcome", value.path("outcome").asString(""));
        if (value.path("error").isObject()) {
            one.put("error", value.path("error").path("code").asString("unknown"));
        }
        if (value.has("request_id") && value.path("result").isContainer()) {
            one.set("result", value.path("result"));
        }
        var status = value.path("result").path("resulting_status").asString("");
        if (!value.has("request_id") && !status.isEmpty()) {
            one.put("status", status);
        }
        if (value.path("duration_ms").isNumber() && value.has("request_id")) {
            one.put("ms", value.path("duration_ms").asLong(0));
        }
        spill.add(id, answer);
    }

    /**
     * Gives every call, whole, to a spill by the id that it has in the first recording.
     *
     * @param side field that the call becomes
     */
    void into(Spill pairs, String side) {
        for (int part = 0; part < spill.parts(); part++) {
            var calls = new HashMap<String, ObjectNode>();
            spill.read(part, document -> merge(calls, (ObjectNode) document));
            for (var call : calls.values()) {
                if (call.has("base")) {
                    var pair = RecordingJson.MAPPER.createObjectNode();
                    pair.put("base", call.path("base").asString(""));
                    pair.set(side, call);
                    pairs.add(call.path("base").asString(""), pair);
                }
            }
        }
    }

    private static void merge(Map<String, ObjectNode> calls, ObjectNode document) {
        var known = calls.putIfAbsent(document.path("id").asString(""), document);
        if (known != null) {
            document.properties()
                    .forEach(
                            field -> {
                                if (!known.has(field.getKey())) {
                                    known.set(field.getKey(), field.getValue());
                                }
                            });
        }
    }

    @Override
    public void close() {
        spill.close();
    }
}
