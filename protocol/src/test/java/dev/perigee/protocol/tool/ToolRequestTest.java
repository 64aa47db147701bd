package dev.perigee.protocol.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CAL-01, CAL-02, CAL-04: what a request may ask for")
final class ToolRequestTest {
    private static ToolRequest read(String more) {
        var json =
                ("{'request_id':'r','team_id':'t','user_id':'u','tool_path':'s:t'"
                                + (more.contains("'method'") ? "" : ",'method':'tools/call'")
                                + more
                                + "}")
                        .replace('\'', '"');
        return ToolRequest.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",'accepts':[]",
                ",'accepts':['log','progress'],'log_level':'warning'",
                ",'accepts':['progress'],'extend_on_progress_ms':1,'max_timeout_ms':86400000",
                ",'timeout_ms':5,'max_timeout_ms':5",
                ",'accepts':['input'],'input_timeout_ms':86400000",
                ",'method':'call/respond','in_reply_to':'r-1','input_id':'i','responses':{}",
                ",'meta':{'com.example.mcp/a':1,'x':{},'progress_token':1,'':2}",
            })
    void allows(String more) {
        var request = read(more);

        assertThatCode(request::requireLimits).doesNotThrowAnyException();
        assertThat(Json.read(Json.write(request), ToolRequest.class)).isEqualTo(request);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",'accepts':['progress','video']",
                ",'log_level':'loud'",
                ",'extend_on_progress_ms':1000",
                ",'accepts':['log'],'extend_on_progress_ms':1000",
                ",'accepts':['progress'],'extend_on_progress_ms':86400001",
                ",'timeout_ms':6,'max_timeout_ms':5",
                ",'input_timeout_ms':1000",
                ",'accepts':['input'],'input_timeout_ms':86400001",
                ",'method':'call/respond','input_id':'i','responses':{}",
                ",'method':'call/respond','in_reply_to':'r-1','responses':{}",
                ",'method':'call/respond','in_reply_to':'r/1','input_id':'i','responses':{}",
                ",'method':'call/respond','in_reply_to':'r-1','input_id':'i'",
                ",'method':'call/respond','in_reply_to':'r-1','input_id':'i','responses':[]",
                ",'meta':[]",
                ",'meta':{'progressToken':1}",
                ",'meta':{'traceparent':'x'}",
                ",'meta':{'io.modelcontextprotocol/logLevel':'debug'}",
                ",'meta':{'mcp/x':1}",
                ",'meta':{'dev.mcp/x':1}",
                ",'meta':{'org.modelcontextprotocol.api/x':1}",
            })
    void refuses(String more) {
        var request = read(more);

        assertThatThrownBy(request::requireLimits)
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("field");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",'accepts':'progress'",
                ",'accepts':[1]",
                ",'accepts':['progress'],'extend_on_progress_ms':0",
                ",'max_timeout_ms':'5'"
            })
    void cannotRead(String more) {
        assertThatThrownBy(() -> read(more)).isInstanceOf(InvalidRecordException.class);
    }

    @Test
    @DisplayName("CAL-06: responses are bounded, and no more kept than arguments are")
    void boundsResponses() {
        var most = "{\"m\":\"" + "x".repeat(ToolRequest.MAX_RESPONSES_BYTES - 8) + "\"}";
        var request =
                ",'method':'call/respond','in_reply_to':'r-1','input_id':'i','responses':" + most;

        assertThatCode(read(request)::requireLimits).doesNotThrowAnyException();
        assertThatThrownBy(read(request.replace("{", "{ "))::requireLimits)
                .isInstanceOf(InvalidRecordException.class);
        assertThat(read(request).payloadBytes()).isEqualTo(ToolRequest.MAX_RESPONSES_BYTES);
        assertThat(read(request).withoutArguments().payloadBytes()).isZero();
        assertThat(read(request).withoutArguments().inputId()).isEqualTo("i");
    }

    @Test
    void boundsMeta() {
        var most = "{\"m\":\"" + "x".repeat(RequestMeta.MAX_BYTES - 8) + "\"}";

        assertThatCode(read(",'meta':" + most)::requireLimits).doesNotThrowAnyException();
        assertThatThrownBy(read(",'meta':" + most.replace("{", "{ "))::requireLimits)
                .isInstanceOf(InvalidRecordException.class);
        assertThat(read(",'arguments':{},'meta':" + most).payloadBytes())
                .isEqualTo(RequestMeta.MAX_BYTES + 2);
        assertThat(read(",'arguments':{},'meta':" + most).withoutArguments().payloadBytes())
                .isZero();
    }
}
