package dev.perigee.local.cli;

import dev.perigee.client.InputHandler;
import dev.perigee.part.CliException;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Responses from a JSON file: one, or an array of them in the order in which they are given; the
 * last one is for all that follow. Safe for use by any thread.
 */
final class InputFile implements InputHandler {
    private final List<JsonNode> responses;
    private final Consumer<String> warn;
    private int given;

    private InputFile(List<JsonNode> responses, Consumer<String> warn) {
        this.responses = responses;
        this.warn = warn;
    }

    /**
     * Reads the file.
     *
     * @param warn is told of responses that do not count
     * @throws CliException when there is none, or it has no responses
     */
    static InputFile read(Path file, Consumer<String> warn) {
        try {
            var tree = Json.tree(Files.readAllBytes(file));
            var all = new ArrayList<JsonNode>();
            if (tree.isArray()) {
                tree.forEach(all::add);
            } else {
                all.add(tree);
            }
            if (all.isEmpty() || !all.stream().allMatch(JsonNode::isObject)) {
                throw CliException.usage(
                        file + " has no responses: write one JSON object, or an array of them");
            }
            return new InputFile(List.copyOf(all), warn);
        } catch (IOException e) {
            throw CliException.usage(file + " cannot be read");
        } catch (InvalidRecordException e) {
            throw CliException.usage(file + " is no JSON: " + e.getMessage());
        }
    }

    @Override
    public synchronized RawJson answer(CallInputRequired question) {
        var answer = JsonNodeFactory.instance.objectNode();
        for (var name : Json.tree(question.requests().bytes()).propertyNames()) {
            answer.set(name, responses.get(Math.min(given++, responses.size() - 1)));
        }
        return Json.raw(answer);
    }

    @Override
    public void refused(CallInputRequired question, ToolResult answer) {
        var error = answer.error();
        warn.accept("not answered: " + (error == null ? "" : error.message()));
    }
}
