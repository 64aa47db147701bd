package dev.perigee.protocol.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-04: what records tell of a call")
final class CallTraceTest {
    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String REQUEST =
            """
            {"request_id":"r-1","team_id":"t","user_id":"u","method":"tools/call","tool_path":"s:x",
             "arguments":{"key":"hush","request_id":"r-2"},"timeout_ms":500}
            """;

    private static CallTrace.@Nullable Step step(
            String id, Topic topic, @Nullable String value, Map<String, String> headers) {
        return new CallTrace(id)
                .step(
                        topic,
                        "t-0@7",
                        NOON,
                        value == null ? null : value.getBytes(StandardCharsets.UTF_8),
                        name -> headers.getOrDefault(name, ""));
    }

    @Test
    void tellsWhatWasAskedWithoutItsArguments() {
        var step = Objects.requireNonNull(step("r-1", Topic.TOOL_REQUESTS, REQUEST, Map.of()));

        assertThat(step.what()).isEqualTo("asked");
        assertThat(step.text()).isEqualTo("tools/call s:x of team t, user u, within 500 ms");
        assertThat(step.isAnswer()).isFalse();
    }

    @Test
    void tellsHowItWasAnsweredAndHowOftenItWasSent() {
        var step =
                step(
                        "r-1",
                        Topic.TOOL_RESULTS,
                        """
                        {"request_id":"r-1","process_id":"p","outcome":"failed","attempts":2,
                         "duration_ms":30,"error":{"code":"crashed","message":"it did"}}
                        """,
                        Map.of());

        assertThat(Objects.requireNonNull(step).text())
                .isEqualTo("failed crashed: it did, sent 2 times, 30 ms at the worker, by p");
        assertThat(step.isAnswer()).isTrue();
    }

    @Test
    void findsAllOfATrace() {
        var headers = Map.of(Headers.TRACEPARENT, "00-" + TRACE + "-00f067aa0ba902b7-01");

        assertThat(
                        Objects.requireNonNull(step(TRACE, Topic.TOOL_REQUESTS, REQUEST, headers))
                                .text())
                .startsWith("r-1: tools/call");
    }

    @Test
    void isAboutNothingElse() {
        assertThat(step("r-2", Topic.TOOL_REQUESTS, REQUEST, Map.of())).isNull();
        assertThat(step("r-", Topic.TOOL_REQUESTS, REQUEST, Map.of())).isNull();
        assertThat(step("r-1", Topic.TOOL_REQUESTS, "r-1 is no JSON", Map.of())).isNull();
        assertThat(step("r-1", Topic.TOOL_REQUESTS, null, Map.of())).isNull();
    }

    @Test
    void findsAnIdHoweverItIsWritten() {
        assertThat(
                        step(
                                "a/ü\"b",
                                Topic.TOOL_REQUESTS,
                                "{\"request_id\":\"a\\/\\u00fc\\\"b\"}",
                                Map.of()))
                .isNotNull();
    }
}
