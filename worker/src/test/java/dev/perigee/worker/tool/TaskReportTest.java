package dev.perigee.worker.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerError;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CAL-08: what a server says of a task")
final class TaskReportTest {
    private static final String WORKING =
            "{\"taskId\":\"t1\",\"status\":\"working\",\"statusMessage\":\"soon\",\"pollInterval\":700}";

    @Test
    @DisplayName("the answer to a call is one by its member, or by its type, as its era has it")
    void created() {
        var legacy = RawJson.of("{\"task\":" + WORKING + ",\"_meta\":{}}");
        var modern = RawJson.of("{\"resultType\":\"task\"," + WORKING.substring(1));

        assertThat(TaskReport.createdBy(legacy, true)).isNull();
        assertThat(TaskReport.createdBy(modern, false)).isNull();
        for (var task :
                new TaskReport[] {
                    TaskReport.createdBy(legacy, false), TaskReport.createdBy(modern, true)
                }) {
            assertThat(Objects.requireNonNull(task).taskId()).isEqualTo("t1");
            assertThat(task.status()).isEqualTo(TaskStatus.WORKING);
            assertThat(task.statusMessage()).isEqualTo("soon");
            assertThat(task.poll()).isEqualTo(Duration.ofMillis(700));
            assertThat(task.toString()).doesNotContain("t1", "soon");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"content\":[{\"text\":\"\\\"task\\\"\"}]}",
                "{\"structuredContent\":{\"task\":{}}}",
                "{\"task\":\"task\"}",
                "{\"resultType\":[\"task\"]}",
                "\"task\""
            })
    @DisplayName("all else is the call's own result")
    void isNone(String result) {
        assertThat(TaskReport.createdBy(RawJson.of(result), true)).isNull();
        assertThat(TaskReport.createdBy(RawJson.of(result), false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"taskId\":\"t1\"}",
                "{\"taskId\":\"\",\"status\":\"working\"}",
                "{\"taskId\":{},\"status\":\"working\"}",
                "{\"taskId\":\"t1\",\"status\":\"dancing\"}",
                "{\"taskId\":\"t1\",\"status\":1}",
                "[]"
            })
    @DisplayName("one without an id or a known status does not pass, and is not repeated")
    void isRefused(String task) {
        assertThatThrownBy(() -> TaskReport.read(RawJson.of(task)))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageNotContainingAny("dancing", "t1");
    }

    @Test
    @DisplayName("an id is bounded")
    void boundsTheId() {
        var most = "x".repeat(TaskReport.MAX_ID_CHARACTERS);
        var task = "{\"taskId\":\"%s\",\"status\":\"failed\"}";

        assertThat(TaskReport.read(RawJson.of(task.formatted(most))).taskId()).isEqualTo(most);
        assertThatThrownBy(() -> TaskReport.read(RawJson.of(task.formatted(most + "x"))))
                .isInstanceOf(InvalidRecordException.class);
    }

    @Test
    @DisplayName("of what the server says only the beginning is kept, and less in an error")
    void boundsTheWords() {
        var words = "x".repeat(1 << 20);
        var task = "{\"taskId\":\"t1\",\"status\":\"failed\",\"statusMessage\":\"" + words + "\"}";

        assertThat(TaskReport.read(RawJson.of(task)).statusMessage())
                .hasSize(TaskReport.MAX_MESSAGE_CHARACTERS);
        assertThat(McpException.ofTask(words, new ServerError(null, null)))
                .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(5_000));
    }

    @Test
    @DisplayName("what keeps a task from being asked for says nothing of the call that ran")
    void wasSent() {
        assertThat(ToolResults.code(McpException.lateCredentials().ofSentBefore()))
                .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(ToolResults.code(McpException.withoutToken().ofSentBefore()))
                .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(ToolResults.code(McpException.late("late").ofSentBefore()))
                .isEqualTo(ErrorCode.TIMEOUT);
    }

    @Test
    @DisplayName("a tool says whether its calls may be tasks; what is none is as nothing")
    void support() {
        assertThat(TaskSupport.in(null)).isEqualTo(TaskSupport.FORBIDDEN);
        assertThat(TaskSupport.in(RawJson.of("{\"taskSupport\":\"required\"}")))
                .isEqualTo(TaskSupport.REQUIRED);
        assertThat(TaskSupport.in(RawJson.of("{\"taskSupport\":\"optional\"}")))
                .isEqualTo(TaskSupport.OPTIONAL);
        for (var other :
                new String[] {"{\"taskSupport\":\"FORBIDDEN\"}", "{\"taskSupport\":1}", "[]"}) {
            assertThat(TaskSupport.in(RawJson.of(other))).isEqualTo(TaskSupport.FORBIDDEN);
        }
    }
}
