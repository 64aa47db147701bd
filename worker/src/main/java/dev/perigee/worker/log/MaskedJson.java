package dev.perigee.worker.log;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A server's JSON without the configured secrets, in its names and strings. Where it has none the
 * server's own bytes are kept. Reads the whole value, so it is for small ones. Pure.
 */
public final class MaskedJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private MaskedJson() {}

    /** The value with each text replaced by what the mask makes of it. */
    public static RawJson of(RawJson json, UnaryOperator<String> mask) {
        var tree = Json.tree(json.bytes());
        var masked = mask(tree, mask);
        return masked.equals(tree) ? json : Json.raw(masked);
    }

    private static JsonNode mask(JsonNode node, UnaryOperator<String> mask) {
        if (node.isString()) {
            return NODES.stringNode(mask.apply(node.stringValue()));
        }
        if (node.isArray()) {
            var array = NODES.arrayNode();
            node.forEach(element -> array.add(mask(element, mask)));
            return array;
        }
        if (node.isObject()) {
            var object = NODES.objectNode();
            node.forEachEntry((name, value) -> object.set(mask.apply(name), mask(value, mask)));
            return object;
        }
        return node;
    }
}
