package dev.perigee.worker.tool;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.ServerQuestion;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Responses to a question, held to what MCP asks of each; what a form's content must be is the
 * server's to check. Pure.
 */
public final class InputResponses {
    private static final Set<String> ACTIONS = Set.of("accept", "decline", "cancel");
    private static final Set<String> ROLES = Set.of("user", "assistant");

    private InputResponses() {}

    /**
     * What is wrong with them, for people; null when nothing is. Names no value.
     *
     * @param methods of the question's requests, by name
     * @param responses by name
     */
    public static @Nullable String problem(
            Map<String, String> methods, Map<String, RawJson> responses) {
        if (!methods.keySet().equals(responses.keySet())) {
            return "field responses must have one response for each of the question's requests,"
                    + " under the same name, and nothing else";
        }
        for (var each : responses.entrySet()) {
            var problem = problem(methods.getOrDefault(each.getKey(), ""), each.getValue());
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static @Nullable String problem(String method, RawJson response) {
        JsonNode tree;
        try {
            tree = Json.tree(response.bytes());
        } catch (InvalidRecordException e) {
            return "a response is no JSON: " + e.getMessage();
        }
        return switch (method) {
            case ServerQuestion.ELICIT ->
                    ACTIONS.contains(tree.path("action").asString(""))
                                    && (!tree.has("content") || tree.path("content").isObject())
                            ? null
                            : "a response to elicitation/create must have action, which is accept,"
                                    + " decline or cancel, and content, if any, is an object";
            case ServerQuestion.SAMPLE ->
                    ROLES.contains(tree.path("role").asString(""))
                                    && tree.path("content").isContainer()
                                    && tree.path("model").isString()
                            ? null
                            : "a response to sampling/createMessage must have role, which is user or"
                                    + " assistant, content, an object or an array, and model, a"
                                    + " string";
            default -> "the question has a request that cannot be answered";
        };
    }
}
