package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolError;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class McpMessageTest {
    private static McpMessage read(String line) {
        return McpMessage.read(line.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void readsAnswersAsTheyAre() {
        assertThat(read("{\"result\":{\"n\":1.50, \"b\":[]},\"jsonrpc\":\"2.0\",\"id\":12}"))
                .isEqualTo(new McpMessage.Answer(12, RawJson.of("{\"n\":1.50, \"b\":[]}")));
        assertThat(read("{\"id\":3,\"error\":{\"code\":-32000,\"message\":\"no\",\"data\":{}}}"))
                .isEqualTo(refusal("no", -32000L, RawJson.of("{}")));
        assertThat(read("{\"id\":3,\"error\":{}}"))
                .isEqualTo(refusal("the server gave no message", null, null));
    }

    private static McpMessage refusal(String message, @Nullable Long code, @Nullable RawJson data) {
        return new McpMessage.Refusal(3, message, new ServerError(code, data));
    }

    @Test
    @DisplayName("CAL-11: a server's error keeps its code and its data, within a bound")
    void readsErrorsOfServers() {
        assertThat(read("{\"id\":3,\"error\":{\"code\":-32042,\"data\":{\"n\": 1.50}}}"))
                .isEqualTo(
                        refusal(
                                "the server gave no message",
                                -32042L,
                                RawJson.of("{\"n\": 1.50}")));
        assertThat(read("{\"id\":3,\"error\":{\"code\":\"x\",\"message\":\"m\",\"data\":null}}"))
                .isEqualTo(refusal("m", null, null));
        assertThat(read("{\"id\":3,\"error\":\"no object\"}"))
                .isEqualTo(refusal("the server gave no message", null, null));
        var most = '"' + "d".repeat(ToolError.MAX_DATA_BYTES - 2) + '"';
        assertThat(read("{\"id\":3,\"error\":{\"message\":\"m\",\"data\":" + most + "}}"))
                .isEqualTo(refusal("m", null, RawJson.of(most)));
        assertThat(read("{\"id\":3,\"error\":{\"message\":\"m\",\"data\":[" + most + "]}}"))
                .isEqualTo(refusal("m", null, null));
    }

    @Test
    void readsWhatTheServerAsksAndTells() {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}"))
                .isEqualTo(new McpMessage.Question(RawJson.of("0"), "roots/list", null));
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{}}"))
                .isEqualTo(
                        new McpMessage.Question(RawJson.of("\"a\""), "ping", RawJson.EMPTY_OBJECT));
        assertThat(read("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}"))
                .isEqualTo(new McpMessage.Notice("notifications/x", RawJson.EMPTY_OBJECT));
        assertThat(read("{\"id\":\"nobody asked\",\"result\":{}}"))
                .isEqualTo(new McpMessage.Stray(RawJson.of("\"nobody asked\"")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"hello", "[]", "{}", "{\"id\":1}", "{\"id\":1,\"result\":{}", "\u0000", "1"})
    void refusesGarbage(String line) {
        assertThatThrownBy(() -> read(line)).isInstanceOf(InvalidRecordException.class);
    }

    @Test
    void writesOneLineEach() {
        assertThat(text(McpMessage.write(7L, "tools/call", RawJson.of("{\"a\":\n1}"))))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"a\": 1}}\n");
        assertThat(text(McpMessage.write(null, "notifications/initialized", RawJson.EMPTY_OBJECT)))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n");
        assertThat(text(McpMessage.answer(RawJson.of("0"), RawJson.EMPTY_OBJECT)))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n");
        assertThat(text(McpMessage.refuse(RawJson.of("\"x\""), -32601, "Method not found")))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,\"message\":\"Method"
                                + " not found\"}}\n");
    }

    @Test
    void findsTheIdOfASkippedAnswer() {
        assertThat(id("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{", "}}")).isEqualTo(4);
        assertThat(id("{\"result\":{\"id\":9,", "\"}},\"jsonrpc\":\"2.0\",\"id\":5}")).isEqualTo(5);
        assertThat(id("{\"result\":{\"id\":9,", "\"id\":6}}")).isNull();
        assertThat(id("noise", "noise")).isNull();
    }

    private static @Nullable Long id(String head, String tail) {
        return SkippedAnswer.id(
                head.getBytes(StandardCharsets.UTF_8), tail.getBytes(StandardCharsets.UTF_8));
    }
}
