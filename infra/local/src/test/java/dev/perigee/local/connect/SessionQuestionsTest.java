package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.Action.Cancel;
import dev.perigee.local.connect.Action.Respond;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CAL-19: the session of an MCP client whose server asks")
final class SessionQuestionsTest extends SessionTesting {
    @Test
    @DisplayName("asks the client what a server asks, saying who, once, and answers with its words")
    void asks() {
        begin(ALL);
        var request = call("1", "");
        assertThat(request.accepts()).containsExactly("input");
        var question = question(request, "q1", FORM);

        var asked = sent(session.happened(question));

        assertThat(session.happened(question)).as("a repeat").isEmpty();
        assertThat(asked.path("method").asString("")).isEqualTo("elicitation/create");
        assertThat(asked.at("/params/message").asString("")).isEqualTo("[files] Which room?");
        var response = "{\"action\":\"accept\",\"content\":{\"room\":\"b\"}}";
        var answered = responds(asked, "\"result\":" + response);
        assertThat(answered).singleElement().isInstanceOf(Respond.class);
        var sent = (Respond) answered.getFirst();
        assertThat(sent.question()).isEqualTo(question);
        assertThat(sent.responses().text()).isEqualTo("{\"question\":" + response + "}");
        assertThat(responds(asked, "\"result\":" + response)).as("a second").isEmpty();
    }

    @Test
    @DisplayName("asks what has half a character in it, too")
    void asksHalves() {
        begin(ALL);
        var half = FORM.replace("Which room?", "Which \\ud800?");

        var asked = sent(session.happened(question(call("1", ""), "q1", half)));

        assertThat(asked.at("/params/message").asString("")).isEqualTo("[files] Which ??");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"error\":{\"code\":-1,\"message\":\"no\"}",
                "\"result\":{}",
                "\"result\":{\"action\":\"perhaps\"}",
                "\"result\":{\"action\":\"accept\",\"content\":[]}"
            })
    @DisplayName("counts a form that is not answered as left")
    void leaves(String response) {
        begin(ALL);
        var asked = sent(session.happened(question(call("1", ""), "q1", FORM)));

        var answered = responds(asked, response);

        assertThat(((Respond) answered.getFirst()).responses().text())
                .isEqualTo("{\"question\":{\"action\":\"cancel\"}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"sampling\":{}}           | elicitation/create     | {}",
                "{\"elicitation\":{}}        | elicitation/create     | {\"mode\":\"url\"}",
                "{\"elicitation\":{\"url\":{}}} | elicitation/create  | {\"mode\":\"form\"}"
            })
    @DisplayName("leaves a form that the client does not show")
    void cannotShow(String capabilities, String method, String params) {
        begin(capabilities);
        var request = "{\"method\":\"%s\",\"params\":%s}".formatted(method, params);

        var actions = session.happened(question(call("1", ""), "q1", request));

        assertThat(((Respond) actions.getFirst()).responses().text())
                .isEqualTo("{\"question\":{\"action\":\"cancel\"}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sampling/createMessage | {}              | {\"elicitation\":{}}",
                "sampling/createMessage | {\"tools\":[]}  | {\"sampling\":{}}",
                "roots/list             | {}              | {\"sampling\":{}}"
            })
    @DisplayName("ends a call that asks for what the client cannot give")
    void cannotGive(String method, String params, String capabilities) {
        begin(capabilities);
        var request = call("1", "");
        var asks = "{\"method\":\"%s\",\"params\":%s}".formatted(method, params);

        var actions = session.happened(question(request, "q1", asks));

        assertThat(actions.getFirst()).isEqualTo(new Cancel(request.requestId(), RawJson.of("1")));
        var reply = sent(actions.getLast());
        assertThat(reply.at("/result/isError").asBoolean(false)).isTrue();
        assertThat(reply.at("/result/content/0/text").asString(""))
                .startsWith("input_refused: The server files")
                .contains(method);
    }

    @Test
    @DisplayName("ends a call whose question for a model the client refuses")
    void refusesWords() {
        begin(ALL);
        var request = call("1", "");
        var asked = sent(session.happened(question(request, "q1", WORDS)));

        var actions = responds(asked, "\"error\":{\"code\":-1,\"message\":\"not today\"}");

        assertThat(actions.getFirst()).isEqualTo(new Cancel(request.requestId(), RawJson.of("1")));
        assertThat(sent(actions.getLast()).at("/result/content/0/text").asString(""))
                .contains("not today");
    }

    @Test
    @DisplayName("takes a question back when its call has ended")
    void withdraws() {
        begin(ALL);
        var request = call("1", "");
        var asked = sent(session.happened(question(request, "q1", FORM)));

        var actions = session.answered(answer(request, ToolOutcome.SUCCESS, "{}", null));

        var withdrawn = sent(actions.getFirst());
        assertThat(withdrawn.path("method").asString("")).isEqualTo("notifications/cancelled");
        assertThat(withdrawn.at("/params/requestId")).isEqualTo(asked.path("id"));
        assertThat(sent(actions.getLast()).has("result")).isTrue();
        assertThat(responds(asked, "\"result\":{\"action\":\"decline\"}")).isEmpty();
    }
}
