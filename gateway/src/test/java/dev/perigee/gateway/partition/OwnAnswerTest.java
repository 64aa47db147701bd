package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("What a gateway answers itself")
final class OwnAnswerTest {
    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("never says of a call that may have run that it did not")
    void ofACall(OwnAnswer answer) {
        var then = answer.afterPossibleRun(ToolMethod.TOOLS_CALL);
        if (then == OwnAnswer.CANCELLED_ASKING || then == OwnAnswer.INPUT_TIMEOUT) {
            assertThat(then.error().message()).contains("question").doesNotContain("before");
        } else {
            assertThat(then.error().code()).isIn(ErrorCode.TIMEOUT, ErrorCode.OUTCOME_UNKNOWN);
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("of what has no effects may be asked again, where a worker was lost")
    void ofAQuestion(OwnAnswer answer) {
        var then = answer.afterPossibleRun(ToolMethod.TOOLS_LIST);
        assertThat(then).isEqualTo(answer == OwnAnswer.NO_WORKER ? OwnAnswer.WORKER_LOST : answer);
        assertThat(then.error().retryable()).isEqualTo(then.error().code().isRetryable());
    }
}
