package dev.perigee.worker.log;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The shape of a call's parameters or response: the names that it has, and of each value its type
 * and size, such as {@code {"path":"string(12)"}}. Sizes of strings are in characters, of lists and
 * objects in elements. No value of the payload is in it. Bounded in depth and width. Pure.
 */
final class PayloadShape {
    /** Objects and lists below this are their size only: names there are often data. */
    private static final int MAX_DEPTH = 3;

    /** Elements of a list whose shapes are written; the rest is counted. */
    private static final int MAX_ELEMENTS = 3;

    private static final int MAX_FIELDS = 32;
    private static final int MAX_NAME_LENGTH = 64;

    /** Shorter texts are words that an explanation needs, and hide nothing. */
    private static final int MIN_TEXT_LENGTH = 4;

    private static final String MASK = "***";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private PayloadShape() {}

    /** The shape; the size in bytes of what cannot be read. */
    static RawJson of(RawJson payload) {
        try {
            return Json.raw(shape(Json.read(payload, JsonNode.class), 0));
        } catch (InvalidRecordException e) {
            return RawJson.of("{\"omitted_bytes\":" + payload.size() + "}");
        }
    }

    /** A text without the texts that the payload has, such as an error that repeats a parameter. */
    static String hide(String text, @Nullable RawJson payload) {
        if (payload == null) {
            return text;
        }
        var hidden = text;
        for (var value : texts(payload)) {
            hidden = hidden.replace(value, MASK);
        }
        return hidden;
    }

    private static List<String> texts(RawJson payload) {
        try {
            return texts(Json.read(payload, JsonNode.class))
                    .filter(value -> value.length() >= MIN_TEXT_LENGTH)
                    .distinct()
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .toList();
        } catch (InvalidRecordException e) {
            return List.of();
        }
    }

    private static Stream<String> texts(JsonNode node) {
        return node.isString()
                ? Stream.of(node.asString())
                : node.valueStream().flatMap(PayloadShape::texts);
    }

    private static JsonNode shape(JsonNode node, int depth) {
        return switch (node) {
            case ObjectNode object when depth < MAX_DEPTH -> fields(object, depth);
            case ArrayNode list when depth < MAX_DEPTH -> elements(list, depth);
            default -> NODES.stringNode(name(node));
        };
    }

    private static JsonNode fields(ObjectNode object, int depth) {
        var shape = NODES.objectNode();
        object.properties().stream()
                .limit(MAX_FIELDS)
                .forEach(field -> shape.set(shortened(field), shape(field.getValue(), depth + 1)));
        if (object.size() > MAX_FIELDS) {
            shape.put("…", more(object.size() - MAX_FIELDS));
        }
        return shape;
    }

    private static String shortened(Map.Entry<String, JsonNode> field) {
        var name = field.getKey();
        return name.length() <= MAX_NAME_LENGTH ? name : "name(" + name.length() + ")";
    }

    private static JsonNode elements(ArrayNode list, int depth) {
        var shape = NODES.arrayNode();
        list.valueStream().limit(MAX_ELEMENTS).forEach(each -> shape.add(shape(each, depth + 1)));
        if (list.size() > MAX_ELEMENTS) {
            shape.add(more(list.size() - MAX_ELEMENTS));
        }
        return shape;
    }

    private static String more(int count) {
        return count + " more";
    }

    private static String name(JsonNode node) {
        return switch (node.getNodeType()) {
            case STRING -> "string(" + node.asString().length() + ")";
            case NUMBER -> "number";
            case BOOLEAN -> "boolean";
            case NULL -> "null";
            case OBJECT -> "object(" + node.size() + ")";
            case ARRAY -> "list(" + node.size() + ")";
            case BINARY, MISSING, POJO -> "value";
        };
    }
}
