package dev.perigee.local.replay;

import dev.perigee.local.masking.SecretField;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Edits every text of a JSON value; those whose field sounds like a secret's are masked, and so are
 * all below such a field.
 */
final class TreeEditor {
    private final TextEditor editor;

    TreeEditor(TextEditor editor) {
        this.editor = editor;
    }

    /** Edits all fields but those named. */
    void edit(ObjectNode object, Set<String> untouched) {
        edit(object, untouched, false);
    }

    /** The value with its texts edited; objects and arrays are edited in place. */
    JsonNode edited(JsonNode value) {
        return edited(value, false);
    }

    private void edit(ObjectNode object, Set<String> untouched, boolean secret) {
        for (var name : List.copyOf(object.propertyNames())) {
            if (!untouched.contains(name)) {
                boolean sounds = SecretField.isSecretField(name);
                var child = object.path(name);
                boolean isAmount = child.isNumber() && SecretField.isAmount(name);
                object.set(name, edited(child, (secret || sounds) && !isAmount));
            }
        }
    }

    private JsonNode edited(JsonNode value, boolean secret) {
        return switch (value) {
            case ObjectNode object -> {
                edit(object, Set.of(), secret);
                yield object;
            }
            case ArrayNode array -> {
                for (int i = 0; i < array.size(); i++) {
                    array.set(i, edited(array.get(i), secret));
                }
                yield array;
            }
            case StringNode text -> {
                var old = text.asString();
                yield StringNode.valueOf(secret ? editor.mask(old) : editor.text(old));
            }
            case JsonNode other -> {
                var digits = other.isNumber() ? other.asString() : "";
                yield secret && digits.length() >= SecretField.SHORTEST_NUMBER
                        ? StringNode.valueOf(editor.mask(digits))
                        : other;
            }
        };
    }
}
