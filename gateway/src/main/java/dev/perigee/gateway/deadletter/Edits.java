package dev.perigee.gateway.deadletter;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Changes to a record's value: JSON merge patches (RFC 7396), one after the other. A value that is
 * no JSON object is replaced by what the patch says. Without any the bytes stay as they are.
 */
public final class Edits {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

    private final List<JsonNode> patches;

    private Edits(List<JsonNode> patches) {
        this.patches = List.copyOf(patches);
    }

    public static Edits none() {
        return new Edits(List.of());
    }

    /**
     * With a merge patch on top.
     *
     * @throws InvalidRecordException when it is no JSON object
     */
    public Edits patch(String json) {
        var patch = Json.tree(json.getBytes(StandardCharsets.UTF_8));
        if (!patch.isObject()) {
            throw InvalidRecordException.invalid("a merge patch is a JSON object");
        }
        return with(patch);
    }

    /**
     * With one field set on top.
     *
     * @param path names with dots between
     * @param value JSON, or else a text; null removes the field
     */
    public Edits set(String path, String value) {
        var patch = MAPPER.createObjectNode();
        var names = path.split("\\.", -1);
        var inner = patch;
        for (var i = 0; i < names.length - 1; i++) {
            inner = inner.putObject(names[i]);
        }
        inner.set(names[names.length - 1], jsonOrText(value));
        return with(patch);
    }

    private static JsonNode jsonOrText(String value) {
        try {
            var json = MAPPER.readTree(value);
            return json.isMissingNode() ? MAPPER.getNodeFactory().stringNode(value) : json;
        } catch (JacksonException e) {
            return MAPPER.getNodeFactory().stringNode(value);
        }
    }

    private Edits with(JsonNode patch) {
        var all = new ArrayList<>(patches);
        all.add(patch);
        return new Edits(all);
    }

    byte @Nullable [] apply(byte @Nullable [] value) {
        if (patches.isEmpty()) {
            return value;
        }
        var tree = objectOf(value);
        for (var patch : patches) {
            merge(tree, patch);
        }
        return MAPPER.writeValueAsBytes(tree);
    }

    private static ObjectNode objectOf(byte @Nullable [] value) {
        try {
            return value != null && MAPPER.readTree(value) instanceof ObjectNode object
                    ? object
                    : MAPPER.createObjectNode();
        } catch (JacksonException e) {
            return MAPPER.createObjectNode();
        }
    }

    private static void merge(ObjectNode target, JsonNode patch) {
        for (var field : patch.properties()) {
            var name = field.getKey();
            if (field.getValue().isNull()) {
                target.remove(name);
            } else if (field.getValue().isObject()) {
                var inner =
                        target.get(name) instanceof ObjectNode object
                                ? object
                                : target.putObject(name);
                merge(inner, field.getValue());
            } else {
                target.set(name, field.getValue());
            }
        }
    }
}
