package dev.perigee.local.connect;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Questions that a client announced it answers. Immutable.
 *
 * @param forms of a user, by a form
 * @param addresses of a user, who opens an address
 * @param samples of a model
 * @param toolSamples of a model that may use tools
 */
record ClientAbilities(boolean forms, boolean addresses, boolean samples, boolean toolSamples) {
    static final String ELICIT = "elicitation/create";
    static final String SAMPLE = "sampling/createMessage";

    static final ClientAbilities NONE = new ClientAbilities(false, false, false, false);

    /** Abilities by the {@code capabilities} of {@code initialize}. */
    static ClientAbilities of(@Nullable RawJson capabilities) {
        if (capabilities == null) {
            return NONE;
        }
        var tree = Json.tree(capabilities.bytes());
        var elicitation = tree.path("elicitation");
        var sampling = tree.path("sampling");
        boolean addresses = elicitation.path("url").isObject();
        // Before there were two kinds a client announced the one by an empty object.
        boolean forms =
                elicitation.isObject() && (elicitation.path("form").isObject() || !addresses);
        return new ClientAbilities(
                forms, addresses, sampling.isObject(), sampling.path("tools").isObject());
    }

    /** Whether the client answers anything. */
    boolean any() {
        return forms || addresses || samples;
    }

    /** Whether the client answers this. */
    boolean answer(String method, JsonNode params) {
        return switch (method) {
            case ELICIT -> params.path("mode").asString("form").equals("url") ? addresses : forms;
            case SAMPLE -> samples && (toolSamples || !params.has("tools"));
            default -> false;
        };
    }
}
