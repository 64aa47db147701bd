package dev.perigee.worker.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A modern server's result that asks")
final class InputRequiredTest {
    private static final String FORM =
            "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which?\"}}";

    private static InputRequired read(String members) {
        return InputRequired.read(RawJson.of("{\"resultType\":\"input_required\"" + members + "}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"resultType\":\"complete\"}",
                "{\"content\":[{\"text\":\"\\\"resultType\\\":\\\"input_required\\\"\"}]}",
                "{\"structuredContent\":{\"resultType\":\"input_required\"}}",
                "{\"resultType\":[\"input_required\"]}",
                "\"input_required\""
            })
    @DisplayName("is told from others that only speak of it")
    void isNone(String result) {
        assertThat(InputRequired.isIn(RawJson.of(result))).isFalse();
    }

    @Test
    @DisplayName("has requests by the server's names, and a state that is shown nowhere")
    void reads() {
        var result = "{ \"requestState\":\"secret\", \"resultType\":\"input_required\"}";
        assertThat(InputRequired.isIn(RawJson.of(result))).isTrue();

        var question = read(",\"inputRequests\":{\"a\":" + FORM + "},\"requestState\":\"secret\"");
        assertThat(question.requests()).containsOnlyKeys("a");
        assertThat(question.requestState()).isEqualTo("secret");
        assertThat(question.toString()).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",\"inputRequests\":{}",
                ",\"inputRequests\":[]",
                ",\"inputRequests\":7",
                ",\"inputRequests\":{\"a\":7}",
                ",\"inputRequests\":{\"a\":{}}",
                ",\"inputRequests\":{\"a\":{\"method\":\"roots/list\"}}",
                ",\"inputRequests\":{\"a\":{\"method\":\"elicitation/create\",\"params\":[]}}",
                ",\"requestState\":{}",
                ",\"requestState\":7"
            })
    @DisplayName("is refused where it is not as MCP has it, in words that are not the server's")
    void refuses(String members) {
        assertThatThrownBy(() -> read(members))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageNotContaining("roots");
    }

    @Test
    @DisplayName("is bounded: the state, the question, how much is asked at once, names")
    void isBounded() {
        var most = "x".repeat(InputRequired.MAX_STATE_BYTES);
        assertThat(read(",\"requestState\":\"" + most + "\"").requestState())
                .hasSize(most.length());
        refuses(",\"requestState\":\"" + most + "x\"");
        var large = "{\"a\":" + FORM.replace("Which?", "x".repeat(256 << 10)) + "}";
        refuses(",\"inputRequests\":" + large);
        refuses(",\"inputRequests\":{\"" + "n".repeat(201) + "\":" + FORM + "}");
        assertThat(read(",\"inputRequests\":" + many(16)).requests()).hasSize(16);
        refuses(",\"inputRequests\":" + many(17));
    }

    private static String many(int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> "\"" + n + "\":" + FORM)
                .collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    @DisplayName("is asked again by the first request's parameters, with responses and state")
    void asksAgain() {
        var first = RawJson.of("{\"name\":\"t\",\"arguments\":{\"n\":1.0}}");

        var again = InputRequired.again(first, Map.of("a", RawJson.of("{\"x\":1e2}")), "\"s");
        assertThat(again.text())
                .isEqualTo(
                        "{\"name\":\"t\",\"arguments\":{\"n\":1.0},\"inputResponses\":{\"a\":{\"x\":1e2}},"
                                + "\"requestState\":\"\\\"s\"}");

        var plain = Json.tree(InputRequired.again(first, null, null).bytes());
        assertThat(plain.has("inputResponses") || plain.has("requestState")).isFalse();
    }
}
