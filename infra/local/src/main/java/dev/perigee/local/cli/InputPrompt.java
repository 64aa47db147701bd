package dev.perigee.local.cli;

import dev.perigee.client.InputHandler;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Dialogue with a person at a terminal about what a server wants to know. One question at a time,
 * each for as long as the person takes; at the end of the input questions are cancelled, and those
 * that want a model's words are left to their expiry. What servers say is shown up to {@link
 * #MOST_CHARACTERS} characters; the printer makes it harmless. Safe for use by any thread.
 */
final class InputPrompt implements InputHandler {
    static final int MOST_CHARACTERS = 4_000;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final BufferedReader in;
    private final Consumer<String> out;

    /**
     * A dialogue.
     *
     * @param in what the person types
     * @param out shows one line
     */
    InputPrompt(BufferedReader in, Consumer<String> out) {
        this.in = in;
        this.out = out;
    }

    @Override
    public synchronized @Nullable RawJson answer(CallInputRequired question) {
        var responses = NODES.objectNode();
        var requests = Json.tree(question.requests().bytes());
        for (var request : requests.properties()) {
            var response = response(request.getValue());
            if (response == null) {
                return null;
            }
            responses.set(request.getKey(), response);
        }
        return Json.raw(responses);
    }

    @Override
    public void refused(CallInputRequired question, ToolResult answer) {
        var error = answer.error();
        out.accept("not answered: " + (error == null ? "" : error.message()));
    }

    /** Null where there is nobody to ask. */
    private @Nullable ObjectNode response(JsonNode request) {
        var params = request.path("params");
        if (!request.path("method").asString("").equals("elicitation/create")) {
            return sampled(params);
        }
        show("The server asks: " + params.path("message").asString(""));
        if (params.path("mode").asString("form").equals("url")) {
            show("It wants you to open " + params.path("url").asString(""));
        }
        var agreed = read("Answer? y(es), n(o), c(ancel):");
        var said = agreed == null ? "" : agreed.toLowerCase(Locale.ROOT);
        if (!said.startsWith("y")) {
            return NODES.objectNode().put("action", said.startsWith("n") ? "decline" : "cancel");
        }
        var accepted = NODES.objectNode().put("action", "accept");
        if (!params.path("mode").asString("form").equals("url")) {
            accepted.set("content", form(params.path("requestedSchema").path("properties")));
        }
        return accepted;
    }

    private ObjectNode form(JsonNode properties) {
        var content = NODES.objectNode();
        properties.forEachEntry(
                (name, property) -> {
                    var value = field(name, property);
                    if (value != null) {
                        content.set(name, value);
                    }
                });
        return content;
    }

    /** Null where it is left out. */
    private @Nullable JsonNode field(String name, JsonNode property) {
        var values = property.path("enum").isArray() ? " " + property.path("enum") : "";
        var usual = property.has("default") ? " [" + property.path("default") + "]" : "";
        var about = property.path("description").asString(property.path("title").asString(""));
        var text = read("%s (%s%s) %s%s:".formatted(name, type(property), values, about, usual));
        if (text == null || text.isEmpty()) {
            return property.get("default");
        }
        return value(type(property), text);
    }

    private static String type(JsonNode property) {
        return property.path("type").asString("string");
    }

    /** A string where it cannot be read as its type: the server says what is wrong. */
    private static JsonNode value(String type, String text) {
        try {
            return switch (type) {
                case "integer" -> NODES.numberNode(Long.parseLong(text));
                case "number" -> NODES.numberNode(Double.parseDouble(text));
                case "boolean" ->
                        switch (text.toLowerCase(Locale.ROOT)) {
                            case "y", "yes", "true" -> NODES.booleanNode(true);
                            case "n", "no", "false" -> NODES.booleanNode(false);
                            default -> NODES.stringNode(text);
                        };
                case "array" -> {
                    var array = NODES.arrayNode();
                    for (var each : text.split(",", -1)) {
                        array.add(each.strip());
                    }
                    yield array;
                }
                default -> NODES.stringNode(text);
            };
        } catch (NumberFormatException e) {
            return NODES.stringNode(text);
        }
    }

    private @Nullable ObjectNode sampled(JsonNode params) {
        show("The server wants a model's answer to: " + params.path("messages"));
        var text = read("Answer in its place:");
        if (text == null) {
            return null;
        }
        var content = NODES.objectNode().put("type", "text").put("text", text);
        var response = NODES.objectNode().put("role", "assistant").put("model", "a person");
        response.set("content", content);
        return response;
    }

    private void show(String text) {
        int more = text.length() - MOST_CHARACTERS;
        out.accept(
                more <= 0
                        ? text
                        : text.substring(0, MOST_CHARACTERS) + " ... " + more + " characters more");
    }

    private @Nullable String read(String prompt) {
        show(prompt);
        try {
            var line = in.readLine();
            return line == null ? null : line.strip();
        } catch (IOException e) {
            return null;
        }
    }
}
