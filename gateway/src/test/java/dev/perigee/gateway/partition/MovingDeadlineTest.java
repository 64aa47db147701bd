package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.Extension;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "CAL-02: the deadline of a request whose server reports progress or asks, at its gateway")
final class MovingDeadlineTest {
    private static final Instant DEADLINE = Instant.EPOCH.plusSeconds(10);

    private static ToolCall call(@Nullable Extension extension) {
        return call(extension, null);
    }

    private static ToolCall call(@Nullable Extension extension, @Nullable Duration input) {
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin("requests", 0, 1),
                        ToolRequest.call("r", "t", "u", "s:echo", RawJson.of("{}"), null),
                        ToolMethod.TOOLS_CALL,
                        ToolPath.parse("s:echo"),
                        Instant.EPOCH,
                        DEADLINE,
                        DEADLINE,
                        null,
                        null,
                        extension,
                        input,
                        null),
                "group");
    }

    @Test
    @DisplayName(
            "CAL-04: questions may make it later by what they may wait, whatever progress does")
    void waitsForQuestions() {
        var input = Duration.ofMinutes(3);
        assertThat(call(null, input).lastDeadline()).isEqualTo(DEADLINE.plus(input));

        var extended = call(new Extension(Duration.ofDays(1), Duration.ofMinutes(1)), input);
        extended.progressed(DEADLINE);
        assertThat(extended.deadline()).isEqualTo(DEADLINE.plusSeconds(60));
        assertThat(extended.lastDeadline()).isEqualTo(DEADLINE.plusSeconds(60).plus(input));
    }

    @Test
    void staysWithoutExtension() {
        var call = call(null);
        call.progressed(DEADLINE);

        assertThat(call.deadline()).isEqualTo(DEADLINE);
        assertThat(call.lastDeadline()).isEqualTo(DEADLINE);
    }

    @Test
    void movesToATimeFromProgressNeverBackAndNotBeyondTheLast() {
        var call = call(new Extension(Duration.ofSeconds(5), Duration.ofSeconds(20)));

        call.progressed(Instant.EPOCH.plusSeconds(1));
        assertThat(call.deadline()).isEqualTo(DEADLINE);
        call.progressed(Instant.EPOCH.plusSeconds(9));
        assertThat(call.deadline()).isEqualTo(Instant.EPOCH.plusSeconds(14));
        call.progressed(Instant.EPOCH.plusSeconds(8));
        assertThat(call.deadline()).isEqualTo(Instant.EPOCH.plusSeconds(14));
        call.progressed(Instant.EPOCH.plusSeconds(29));
        assertThat(call.deadline()).isEqualTo(Instant.EPOCH.plusSeconds(30));
        assertThat(call.lastDeadline()).isEqualTo(Instant.EPOCH.plusSeconds(30));
    }

    @Test
    void keepsItsExtensionWithoutItsArguments() {
        var call = call(new Extension(Duration.ofSeconds(5), Duration.ofSeconds(20)));
        call.letGo();

        assertThat(call.lastDeadline()).isEqualTo(Instant.EPOCH.plusSeconds(30));
        assertThat(call.isComplete()).isFalse();
    }
}
