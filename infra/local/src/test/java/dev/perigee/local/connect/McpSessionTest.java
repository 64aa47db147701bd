package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.Action.Call;
import dev.perigee.local.connect.Action.Cancel;
import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.event.EventBody.CallLog;
import dev.perigee.protocol.event.EventBody.CallProgress;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("CAL-19: the session of an MCP client")
final class McpSessionTest extends SessionTesting {
    @ParameterizedTest
    @CsvSource({
        "2025-11-25, 2025-11-25",
        "2025-06-18, 2025-06-18",
        "2025-03-26, 2025-03-26",
        "2024-11-05, 2024-11-05",
        "2026-07-28, 2025-11-25",
        "1999-01-01, 2025-11-25"
    })
    @DisplayName("speaks the client's revision, or its own newest")
    void negotiates(String asked, String spoken) {
        var result = initialize(asked, "{}").path("result");

        assertThat(result.path("protocolVersion").asString("")).isEqualTo(spoken);
        assertThat(result.at("/capabilities/tools/listChanged").asBoolean(false)).isTrue();
        assertThat(result.at("/capabilities/logging").isObject()).isTrue();
        assertThat(result.at("/serverInfo/version").asString("")).isEqualTo("1.2.3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no json                                                  | -32700 | null",
                "[]                                                       | -32600 | null",
                "7                                                        | -32600 | null",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}      | -32600 | null",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}       | -32600 | 1",
                "{\"jsonrpc\":\"2.0\",\"id\":1}                           | -32600 | 1",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"} | -32600 | 1",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":[]} | -32602 | 1"
            })
    @DisplayName("refuses what is no message, and what comes too soon")
    void refuses(String message, int code, String id) {
        var refused = sent(receives(message));

        assertThat(refused.at("/error/code").asInt(0)).isEqualTo(code);
        assertThat(refused.path("id").toString()).isEqualTo(id);
    }

    @Test
    @DisplayName("answers ping at any time, and tells of a line that was too long")
    void pings() {
        assertThat(sent(receives("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}")))
                .hasToString("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}");
        assertThat(sent(session.receivedTooMuch(9)).at("/error/message").asString(""))
                .contains("9 bytes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server/discover  | {}                                    | -32601",
                "resources/list   | {}                                    | -32601",
                "completion/complete | {\"ref\":{},\"argument\":{}}     | -32601",
                "initialize       | {}                                    | -32600",
                "logging/setLevel | {\"level\":\"loud\"}                  | -32602",
                "tools/list       | {\"cursor\":7}                        | -32602",
                "tools/call       | {\"name\":\"files__gone\"}            | -32602",
                "tools/call       | {}                                    | -32602",
                "tools/call       | {\"name\":\"files__read\",\"arguments\":[]} | -32602",
                "tools/call       | {\"name\":\"files__read\",\"_meta\":{\"progressToken\":{}}} | -32602"
            })
    @DisplayName("refuses requests that it cannot carry out")
    void refusesRequests(String method, String params, int code) {
        begin("{}");

        var refused =
                sent(
                        receives(
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
                                        .formatted(method, params)));

        assertThat(refused.at("/error/code").asInt(0)).isEqualTo(code);
    }

    @Test
    @DisplayName("lets lists and calls wait for the first offer, and tells of later ones once")
    void offers() {
        initialize("2025-11-25", "{}");
        assertThat(receives("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")).isEmpty();
        assertThat(receives(callOf("2", ""))).isEmpty();
        assertThat(session.isWaiting()).isTrue();
        assertThat(sent(receives(callOf("2", ""))).at("/error/message").asString(""))
                .contains("in flight");

        var first = session.offered(offer("read"));

        assertThat(sent(first.getFirst()).at("/result/tools/0/name").asString(""))
                .isEqualTo("files__read");
        assertThat(first.getLast()).isInstanceOf(Call.class);
        assertThat(session.isWaiting()).isFalse();
        assertThat(session.offered(offer("write"))).as("not initialized").isEmpty();
        receives("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        assertThat(session.offered(offer("write"))).as("the same").isEmpty();
        assertThat(sent(session.offered(offer("read"))).path("method").asString(""))
                .isEqualTo("notifications/tools/list_changed");
    }

    @Test
    @DisplayName("lets sixteen requests wait")
    void boundsWaiting() {
        initialize("2025-11-25", "{}");
        for (int id = 1; id <= McpSession.MOST_WAITING; id++) {
            assertThat(receives(callOf(String.valueOf(id), ""))).isEmpty();
        }
        assertThat(sent(receives(callOf("99", ""))).at("/error/code").asInt(0)).isEqualTo(-32600);
        assertThat(
                        receives(
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}"))
                .containsExactly(new Action.End(RawJson.of("1")));

        assertThat(session.ended()).isEmpty();
        assertThat(session.isWaiting()).isFalse();
    }

    @Test
    @DisplayName("asks the fleet with the client's own bytes, and passes the server's on")
    void calls() {
        begin("{}");

        var request = call("\"c\"", "");

        assertThat(request.toolPath()).isEqualTo("files:read");
        assertThat(request.installationId()).isEqualTo("i1");
        assertThat(request.key()).hasToString("t1/u1");
        assertThat(request.arguments()).isEqualTo(RawJson.of("{\"x\":1.50}"));
        assertThat(request.accepts()).isNull();
        assertThat(request.extendOnProgressMs()).isNull();
        assertThat(request.timeoutMs()).isEqualTo(60_000);
        var result = "{\"content\":[],\"structuredContent\":{\"n\":1.50},\"isError\":true}";
        var actions = session.answered(answer(request, ToolOutcome.TOOL_ERROR, result, null));
        assertThat(((Send) actions.getFirst()).message().text())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":" + result + "}");
        assertThat(session.answered(answer(request, ToolOutcome.SUCCESS, result, null)))
                .as("a repeat")
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    @DisplayName("names each error of the fleet by its code")
    void errors(ErrorCode code) {
        begin("{}");
        var request = call("1", "");

        var reply =
                sent(
                        session.answered(
                                answer(
                                        request,
                                        ToolOutcome.FAILED,
                                        null,
                                        ToolError.of(code, "do this", null))));

        var text =
                reply.has("error")
                        ? reply.at("/error/message").asString("")
                        : reply.at("/result/content/0/text").asString("");
        assertThat(text).isEqualTo(code.name().toLowerCase(Locale.ROOT) + ": do this");
        assertThat(reply.has("error")).isNotEqualTo(reply.at("/result/isError").asBoolean(false));
    }

    @Test
    @DisplayName("passes a server's own error on")
    void serversErrors() {
        begin("{}");
        var error =
                ToolError.of(ErrorCode.SERVER_ERROR, "open it", null)
                        .ofServer(-32042L, RawJson.of("{\"url\":\"https://a\"}"));

        var reply = sent(session.answered(answer(call("1", ""), ToolOutcome.FAILED, null, error)));

        assertThat(reply.at("/error/code").asInt(0)).isEqualTo(-32042);
        assertThat(reply.at("/error/data/url").asString("")).isEqualTo("https://a");
    }

    @Test
    @DisplayName("ends a call without an answer as an error that a model reads")
    void unanswered() {
        begin("{}");
        var request = call("1", "");

        var reply = sent(session.unanswered(request.requestId(), "no_answer", "try again"));

        assertThat(reply.at("/result/content/0/text").asString(""))
                .isEqualTo("no_answer: try again");
        assertThat(reply.at("/result/isError").asBoolean(false)).isTrue();
    }

    @Test
    @DisplayName("passes progress on that advances, for who follows it")
    void progress() {
        begin("{}");
        var request = call("1", ",\"_meta\":{\"progressToken\":\"p\"}");
        assertThat(request.accepts()).containsExactly("progress");
        assertThat(request.extendOnProgressMs()).isEqualTo(60_000);

        var one = session.happened(progressOf(request, 1));

        assertThat(sent(one).at("/params/progressToken").asString("")).isEqualTo("p");
        assertThat(sent(one).at("/params/progress").asDouble(0)).isEqualTo(1);
        assertThat(sent(one).at("/params/total").asDouble(0)).isEqualTo(4);
        assertThat(session.happened(progressOf(request, 1))).as("a repeat").isEmpty();
        assertThat(session.happened(progressOf(request, 2))).hasSize(1);
        assertThat(session.happened(progressOf(call("2", ""), 1))).as("unfollowed").isEmpty();
        session.answered(answer(request, ToolOutcome.SUCCESS, "{}", null));
        assertThat(session.happened(progressOf(request, 3))).as("late").isEmpty();
    }

    private static CallProgress progressOf(ToolRequest request, double progress) {
        return new CallProgress(request.requestId(), request.toolPath(), progress, 4.0, "m");
    }

    @Test
    @DisplayName("passes messages on from the level that the client set")
    void logs() {
        begin("{}");
        sent(
                receives(
                        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"warning\"}}"));

        var request = call("1", "");

        assertThat(request.accepts()).containsExactly("log");
        assertThat(request.logLevel()).isEqualTo("warning");
        var log =
                new CallLog(
                        request.requestId(), "files:read", "error", "db", RawJson.of("[1]"), null);
        var message = sent(session.happened(log));
        assertThat(message.path("method").asString("")).isEqualTo("notifications/message");
        assertThat(message.at("/params/logger").asString("")).isEqualTo("files/db");
        assertThat(message.at("/params/data/0").asInt(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("accepts nothing of a fleet that publishes nothing of running calls")
    void withoutEvents() {
        var plain = session(false);
        for (var message :
                List.of(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"capabilities\":"
                                + ALL
                                + "}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}}")) {
            plain.received(message.getBytes(StandardCharsets.UTF_8));
        }
        plain.offered(offer("read"));
        var message = callOf("1", ",\"_meta\":{\"progressToken\":1}");

        var actions = plain.received(message.getBytes(StandardCharsets.UTF_8));

        assertThat(((Call) actions.getFirst()).request().accepts()).isNull();
    }

    @Test
    @DisplayName("cancels what the client cancels, and answers it no more")
    void cancels() {
        begin(ALL);
        var request = call("1", "");
        session.happened(question(request, "q1", FORM));

        var actions =
                receives(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");

        assertThat(sent(actions.getFirst()).path("method").asString(""))
                .isEqualTo("notifications/cancelled");
        assertThat(actions)
                .endsWith(
                        new Cancel(request.requestId(), RawJson.of("1")),
                        new Action.End(RawJson.of("1")));
        assertThat(session.unanswered(request.requestId(), "cancelled", "")).isEmpty();
        assertThat(call("1", "").requestId()).as("its id is free").isNotEmpty();
        assertThat(
                        receives(
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}"))
                .isEmpty();
    }

    @Test
    @DisplayName("has 64 calls in flight, cancelled ones that the fleet was not told of among them")
    void boundsCalls() {
        begin("{}");
        var first = call("0", "");
        for (int id = 1; id < OpenCalls.MOST; id++) {
            call(String.valueOf(id), "");
        }
        receives(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":0}}");

        assertThat(sent(receives(callOf("99", ""))).at("/result/content/0/text").asString(""))
                .startsWith("overloaded: ");

        session.unanswered(first.requestId(), "cancelled", "");
        call("100", "");
    }

    @Test
    @DisplayName("has 32 MiB of parameters in flight")
    void boundsParameters() {
        begin("{}");
        var large = ",\"x\":\"" + "x".repeat(8 << 20) + "\"";
        for (int id = 1; id <= 3; id++) {
            call(String.valueOf(id), large);
        }

        assertThat(sent(receives(callOf("4", large))).at("/result/content/0/text").asString(""))
                .startsWith("overloaded: ");
    }

    @Test
    @DisplayName("takes no id and no progress token that is too long to be kept")
    void longIds() {
        begin("{}");
        var longest = "\"" + "x".repeat(Messages.MOST_ID_BYTES - 2) + "\"";
        var tooLong = longest.replaceFirst("x", "xx");

        assertThat(call(longest, "").requestId()).isNotEmpty();
        assertThat(sent(receives(callOf(tooLong, ""))).at("/error/code").asInt(0))
                .isEqualTo(Messages.INVALID_REQUEST);
        var meta = ",\"_meta\":{\"progressToken\":" + tooLong + "}";
        assertThat(sent(receives(callOf("2", meta))).at("/error/code").asInt(0))
                .isEqualTo(Messages.INVALID_PARAMS);
    }

    @Test
    @DisplayName("cancels all calls at the end")
    void ends() {
        begin("{}");
        var one = call("1", "");
        var two = call("2", "");

        assertThat(session.ended())
                .containsExactlyInAnyOrder(
                        new Cancel(one.requestId(), RawJson.of("1")),
                        new Cancel(two.requestId(), RawJson.of("2")));
        assertThat(session.ended()).isEmpty();
    }
}
