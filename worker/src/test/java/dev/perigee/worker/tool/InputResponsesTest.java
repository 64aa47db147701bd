package dev.perigee.worker.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.JsonMembers;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CAL-06: responses to a question")
final class InputResponsesTest {
    private static @Nullable String problem(String responses) {
        return InputResponses.problem(
                Map.of("e", "elicitation/create", "s", "sampling/createMessage"),
                JsonMembers.of(RawJson.of(responses.replace('\'', '"'))));
    }

    @ParameterizedTest
    @DisplayName("are taken where each is what MCP has for its method")
    @ValueSource(
            strings = {
                "{'e':{'action':'decline'},'s':{'role':'user','content':[],'model':''}}",
                "{'s':{'role':'assistant','content':{'type':'text'},'model':'m','x':1},'e':{'action':'accept','content':{}}}"
            })
    void taken(String responses) {
        assertThat(problem(responses)).isNull();
    }

    @ParameterizedTest
    @DisplayName("are refused otherwise, and no value of theirs is repeated")
    @ValueSource(
            strings = {
                "{}",
                "{'e':{'action':'cancel'}}",
                "{'e':{'action':'secret'},'s':{'role':'user','content':[],'model':''}}",
                "{'e':'secret','s':{'role':'user','content':[],'model':''}}",
                "{'e':{'action':'accept','content':'secret'},'s':{'role':'user','content':[],'model':''}}",
                "{'e':{'action':'accept'},'s':{'role':'secret','content':[],'model':''}}",
                "{'e':{'action':'accept'},'s':{'role':'user','content':'secret','model':''}}",
                "{'e':{'action':'accept'},'s':{'role':'user','content':[],'model':1}}",
                "{'e':{'action':'accept'},'s':{'role':'user','content':[],'model':''},'x':{'secret':1}}"
            })
    void refused(String responses) {
        assertThat(problem(responses)).isNotNull().doesNotContain("secret");
    }
}
