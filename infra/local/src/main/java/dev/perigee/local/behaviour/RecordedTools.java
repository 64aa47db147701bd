package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.protocol.topic.Topic;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * The tools that the servers of one recording have in the end. Holds each server's names, and each
 * different tool once. For one thread.
 */
final class RecordedTools {
    private final Map<String, Map<String, JsonNode>> byProcess = new TreeMap<>();
    private final Map<JsonNode, JsonNode> interned = new HashMap<>();

    void add(RecordedRecord record) {
        if (record.topic() != Topic.TOOLS || record.key() == null) {
            return;
        }
        var value = record.value();
        if (value == null) {
            byProcess.remove(record.key());
        } else if (value.path("tools").isArray()) {
            var tools = new TreeMap<String, JsonNode>();
            for (var tool : value.path("tools")) {
                var one = interned.computeIfAbsent(tool, _ -> tool);
                tools.put(tool.path("tool_name").asString(""), one);
            }
            byProcess.put(record.key(), tools);
        }
    }

    /** Notes how the servers that both have differ. */
    void compare(RecordedTools after, CompareRules rules, Groups groups) {
        byProcess.forEach(
                (process, before) -> {
                    var tools = after.byProcess.get(process);
                    if (tools != null) {
                        compare(process, before, tools, rules, groups);
                    }
                });
    }

    private static void compare(
            String process,
            Map<String, JsonNode> before,
            Map<String, JsonNode> after,
            CompareRules rules,
            Groups groups) {
        var names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        for (var name : names) {
            var one = before.get(name);
            var other = after.get(name);
            if (other == null && one != null) {
                groups.add(Kind.TOOL_REMOVED, path(one), "", Example.of(process, one, null));
            } else if (one == null && other != null) {
                groups.add(Kind.TOOL_ADDED, path(other), "", Example.of(process, null, other));
            } else if (one != null && other != null && !one.equals(other)) {
                tool(process, one, other, rules, groups);
            }
        }
    }

    private static void tool(
            String process, JsonNode one, JsonNode other, CompareRules rules, Groups groups) {
        var own = rules.of(path(one));
        var schema = ResultDiff.of(one.path("input_schema"), other.path("input_schema"), own);
        if (!schema.isEmpty()) {
            groups.add(
                    Kind.TOOL_SCHEMA,
                    path(one),
                    Groups.signature(schema),
                    Example.of(process, one, other).with(schema));
        }
        if (!one.path("description").equals(other.path("description"))
                || !one.path("read_only_hint").equals(other.path("read_only_hint"))) {
            groups.add(Kind.TOOL_TEXT, path(one), "", Example.of(process, one, other));
        }
    }

    private static String path(JsonNode tool) {
        return tool.path("tool_path").asString(tool.path("tool_name").asString(""));
    }
}
