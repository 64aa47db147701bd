package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.Action.Call;
import dev.perigee.local.connect.Action.Send;
import dev.perigee.local.connect.Offer.OfferedTool;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Session of a client on one user's two tools, and the messages of tests. For one test. */
abstract class SessionTesting {
    static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");
    static final String ALL = "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{}}";
    static final String FORM =
            "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which room?\"}}";
    static final String WORDS =
            "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[]}}";

    final AtomicInteger ids = new AtomicInteger();
    final McpSession session = session(true);

    McpSession session(boolean hasEvents) {
        var options = new ConnectOptions("t1", "u1", null, Duration.ofMinutes(1), "1.2.3");
        return new McpSession(options, hasEvents, () -> "r" + ids.incrementAndGet());
    }

    static Offer offer(String... tools) {
        return new Offer(
                Stream.of(tools)
                        .map(
                                tool ->
                                        new OfferedTool(
                                                "files__" + tool,
                                                "files",
                                                "i1",
                                                tool,
                                                RawJson.of("{\"name\":\"files__" + tool + "\"}")))
                        .toList());
    }

    List<Action> receives(String message) {
        return session.received(message.getBytes(StandardCharsets.UTF_8));
    }

    static JsonNode sent(List<Action> actions) {
        assertThat(actions).singleElement().isInstanceOf(Send.class);
        return sent(actions.getFirst());
    }

    static JsonNode sent(Action action) {
        return Json.tree(((Send) action).message().bytes());
    }

    JsonNode initialize(String version, String capabilities) {
        return sent(
                receives(
                        """
                        {"jsonrpc":"2.0","id":0,"method":"initialize",
                         "params":{"protocolVersion":"%s","capabilities":%s,"clientInfo":{}}}"""
                                .formatted(version, capabilities)));
    }

    /** Up to calls. */
    void begin(String capabilities) {
        initialize("2025-11-25", capabilities);
        receives("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        session.offered(offer("read", "write"));
    }

    static String callOf(String id, String more) {
        return """
               {"jsonrpc":"2.0","id":%s,"method":"tools/call",
                "params":{"name":"files__read","arguments":{"x":1.50}%s}}"""
                .formatted(id, more);
    }

    /** The request of a call of the first tool. */
    ToolRequest call(String id, String more) {
        var actions = receives(callOf(id, more));
        assertThat(actions).singleElement().isInstanceOf(Call.class);
        return ((Call) actions.getFirst()).request();
    }

    static ToolResult answer(
            ToolRequest request,
            ToolOutcome outcome,
            @Nullable String result,
            @Nullable ToolError error) {
        return new ToolResult(
                ToolResult.EVENT,
                request.requestId(),
                "t1",
                "u1",
                "p",
                request.toolPath(),
                outcome,
                result == null ? null : RawJson.of(result),
                error,
                1,
                1,
                TIME);
    }

    static CallInputRequired question(ToolRequest of, String input, String request) {
        return new CallInputRequired(
                of.requestId(),
                of.toolPath(),
                input,
                RawJson.of("{\"question\":" + request + "}"),
                TIME);
    }

    List<Action> responds(JsonNode asked, String response) {
        return receives("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}".formatted(asked.path("id"), response));
    }
}
