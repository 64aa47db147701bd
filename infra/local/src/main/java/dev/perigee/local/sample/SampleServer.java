package dev.perigee.local.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An MCP server on standard input and output with one tool, {@code echo}. */
public final class SampleServer {
    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final String PROTOCOL = "2025-11-25";

    private SampleServer() {}

    /** The program and its arguments, with this JVM's class path. */
    public static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx32m",
                "-cp",
                System.getProperty("java.class.path"),
                SampleServer.class.getName());
    }

    /** Answers until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var answer = answer(line);
            if (answer != null) {
                out.println(answer);
            }
        }
    }

    /** The answer to one message, null where none is due. */
    static @Nullable String answer(String line) {
        JsonNode message;
        try {
            message = MAPPER.readTree(line);
        } catch (JacksonException e) {
            return MAPPER.writeValueAsString(error(MAPPER.nullNode(), -32700, "Not JSON"));
        }
        if (!message.has("id") || !message.has("method")) {
            return null;
        }
        var id = message.path("id");
        var parameters = message.path("params");
        return MAPPER.writeValueAsString(
                switch (message.path("method").asString("")) {
                    case "initialize" -> initialized(id, parameters);
                    case "ping" -> result(id, MAPPER.createObjectNode());
                    case "tools/list" -> result(id, tools());
                    case "tools/call" -> called(id, parameters);
                    default -> error(id, -32601, "No such method");
                });
    }

    private static ObjectNode initialized(JsonNode id, JsonNode parameters) {
        var result = MAPPER.createObjectNode();
        result.put("protocolVersion", parameters.path("protocolVersion").asString(PROTOCOL));
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "perigee-sample").put("version", "1");
        return result(id, result);
    }

    private static ObjectNode tools() {
        var result = MAPPER.createObjectNode();
        var tool = result.putArray("tools").addObject();
        tool.put("name", "echo").put("description", "Says what it was told.");
        var schema = tool.putObject("inputSchema").put("type", "object");
        schema.putObject("properties").putObject("message").put("type", "string");
        schema.putArray("required").add("message");
        tool.putObject("annotations").put("readOnlyHint", true);
        return result;
    }

    private static ObjectNode called(JsonNode id, JsonNode parameters) {
        if (!parameters.path("name").asString("").equals("echo")) {
            return error(id, -32602, "No such tool");
        }
        var message = parameters.path("arguments").path("message");
        var result = MAPPER.createObjectNode();
        var content = result.putArray("content").addObject().put("type", "text");
        if (message.isString()) {
            content.put("text", "Echo: " + message.asString());
        } else {
            content.put("text", "echo needs a message, a text");
            result.put("isError", true);
        }
        return result(id, result);
    }

    private static ObjectNode result(JsonNode id, ObjectNode result) {
        return response(id).set("result", result).asObject();
    }

    private static ObjectNode error(JsonNode id, int code, String message) {
        var response = response(id);
        response.putObject("error").put("code", code).put("message", message);
        return response;
    }

    private static ObjectNode response(JsonNode id) {
        var response = MAPPER.createObjectNode();
        response.put("jsonrpc", "2.0");
        response.set("id", id);
        return response;
    }
}
