package dev.perigee.local.connect;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A tool's entry of {@code tools/list} in its server's words, under another name. A field that is
 * not of its type is left out, since clients would refuse the whole list for it; what the entry
 * says of tasks is too, since a connection has none. Pure.
 */
final class DescribedTool {
    private static final RawJson NO_ARGUMENTS = RawJson.of("{\"type\":\"object\"}");

    private static final Map<String, Predicate<JsonNode>> TYPES =
            Map.of(
                    "title", JsonNode::isString,
                    "description", JsonNode::isString,
                    "outputSchema", DescribedTool::isSchema,
                    "annotations", DescribedTool::isAnnotations,
                    "icons", DescribedTool::isIcons,
                    "_meta", JsonNode::isObject,
                    "execution", _ -> false);

    private DescribedTool() {}

    /** The name that a server gave its tool; null where the entry is none of a tool. */
    static @Nullable String nameOf(RawJson entry) {
        try {
            var node = Json.tree(entry.bytes()).path("name");
            var name = node.isString() ? node.asString("") : "";
            return name.isEmpty() || !JsonObjects.wellFormed(name).equals(name) ? null : name;
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    /** An entry of what {@code mcp.tools} says, for servers without a catalogue. */
    static RawJson entry(DiscoveredTool tool) {
        var entry = new LinkedHashMap<String, Object>();
        entry.put("name", tool.toolName());
        if (tool.description() != null) {
            entry.put("description", tool.description());
        }
        entry.put("inputSchema", tool.inputSchema());
        if (Boolean.TRUE.equals(tool.readOnlyHint())) {
            entry.put("annotations", Map.of("readOnlyHint", true));
        }
        return Json.raw(entry);
    }

    /** The entry under the name that clients know, with where the tool is in {@code _meta}. */
    static RawJson named(String name, ToolNames.Place place, RawJson entry) {
        var tool = new LinkedHashMap<String, RawJson>();
        tool.put("name", Json.raw(name));
        JsonObjects.members(entry)
                .forEach(
                        (field, value) -> {
                            if (!field.equals("name") && isOfItsType(field, value)) {
                                tool.put(field, value);
                            }
                        });
        var schema = tool.get("inputSchema");
        if (schema == null || !isSchema(Json.tree(schema.bytes()))) {
            tool.put("inputSchema", NO_ARGUMENTS);
        }
        var meta = tool.get("_meta");
        Map<String, RawJson> about =
                meta == null ? new LinkedHashMap<>() : JsonObjects.members(meta);
        about.put("dev.perigee/server_slug", Json.raw(place.serverSlug()));
        about.put("dev.perigee/installation_id", Json.raw(place.installationId()));
        about.put("dev.perigee/tool_name", Json.raw(place.tool()));
        tool.put("_meta", Json.raw(about));
        return Json.raw(tool).onOneLine();
    }

    private static boolean isOfItsType(String field, RawJson value) {
        var type = TYPES.get(field);
        return type == null || type.test(Json.tree(value.bytes()));
    }

    private static boolean isSchema(JsonNode schema) {
        return schema.isObject()
                && schema.path("type").asString("").equals("object")
                && isAbsentOr(schema, "properties", DescribedTool::isObjects)
                && isAbsentOr(schema, "required", DescribedTool::isStrings);
    }

    private static boolean isAnnotations(JsonNode annotations) {
        return annotations.isObject()
                && isAbsentOr(annotations, "title", JsonNode::isString)
                && isAbsentOr(annotations, "readOnlyHint", JsonNode::isBoolean)
                && isAbsentOr(annotations, "destructiveHint", JsonNode::isBoolean)
                && isAbsentOr(annotations, "idempotentHint", JsonNode::isBoolean)
                && isAbsentOr(annotations, "openWorldHint", JsonNode::isBoolean);
    }

    private static boolean isIcons(JsonNode icons) {
        return icons.isArray()
                && icons.valueStream()
                        .allMatch(
                                icon ->
                                        icon.isObject()
                                                && icon.path("src").isString()
                                                && isAbsentOr(icon, "mimeType", JsonNode::isString)
                                                && isAbsentOr(
                                                        icon, "sizes", DescribedTool::isStrings)
                                                && isAbsentOr(icon, "theme", JsonNode::isString));
    }

    private static boolean isAbsentOr(JsonNode object, String field, Predicate<JsonNode> type) {
        return !object.has(field) || type.test(object.path(field));
    }

    private static boolean isObjects(JsonNode properties) {
        return properties.isObject() && properties.valueStream().allMatch(JsonNode::isContainer);
    }

    private static boolean isStrings(JsonNode array) {
        return array.isArray() && array.valueStream().allMatch(JsonNode::isString);
    }
}
