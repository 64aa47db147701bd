package dev.perigee.worker.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.RequestLog;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestLogsTest {
    private static final int MAX_PAYLOAD_BYTES = 1024;

    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
    private final List<RequestLog> calls = new ArrayList<>();

    @AfterEach
    void stop() {
        timers.shutdownNow();
    }

    @ParameterizedTest
    @DisplayName("TEN-19: request logs have argument shapes by default")
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '^',
            value = {
                "{\"path\":\"/etc/s3cret\"} => {\"path\":\"string(11)\"}",
                "{\"a\":1234567,\"b\":true,\"c\":null} =>"
                        + " {\"a\":\"number\",\"b\":\"boolean\",\"c\":\"null\"}",
                "{\"headers\":{\"Authorization\":\"Bearer s3cret\"}} =>"
                        + " {\"headers\":{\"Authorization\":\"string(13)\"}}",
                "{\"list\":[\"s3cret\",2,[3],4,5]} =>"
                        + " {\"list\":[\"string(6)\",\"number\",[\"number\"],\"2 more\"]}",
                "{\"a\":{\"b\":{\"c\":{\"s3cret\":1}}}} => {\"a\":{\"b\":{\"c\":\"object(1)\"}}}",
                "{\"a\":{\"b\":{\"c\":[[\"s3cret\"]]}}} => {\"a\":{\"b\":{\"c\":\"list(1)\"}}}",
                "\"s3cret\" => \"string(6)\"",
                "{} => {}",
            })
    void writesShapes(String payload, String shape) {
        log(false).add(call(payload, payload, null), null);

        assertThat(calls).extracting(call -> text(call.toolParams())).containsExactly(shape);
        assertThat(calls).extracting(call -> text(call.toolResponse())).containsExactly(shape);
    }

    @Test
    @DisplayName("A shape is bounded in width and in the length of names")
    void boundsShapes() {
        var wide = new StringBuilder("{\"" + "n".repeat(65) + "\":1");
        for (int i = 1; i < 40; i++) {
            wide.append(",\"f").append(i).append("\":").append(i);
        }

        log(false).add(call(wide.append('}').toString(), null, null), null);

        var shape = text(calls.getFirst().toolParams());
        assertThat(shape)
                .startsWith("{\"name(65)\":\"number\",\"f1\":")
                .endsWith("\"…\":\"8 more\"}");
        assertThat(shape).contains("\"f31\"").doesNotContain("\"f32\"");
    }

    @ParameterizedTest
    @DisplayName("TEN-19: values are there where the team or else the operator asks for them")
    @CsvSource({"false,true,true", "true,,true", "true,false,false", "false,false,false"})
    void writesValuesWhereAsked(boolean operator, @Nullable Boolean team, boolean values) {
        log(operator).add(call("{\"a\":\"value\"}", "[1]", "no such value"), team);

        var call = calls.getFirst();
        assertThat(text(call.toolParams()))
                .isEqualTo(values ? "{\"a\":\"value\"}" : "{\"a\":\"string(5)\"}");
        assertThat(text(call.toolResponse())).isEqualTo(values ? "[1]" : "[\"number\"]");
        assertThat(call.errorMessage()).isEqualTo(values ? "no such value" : "no such ***");
    }

    @Test
    @DisplayName("TEN-19: an error that repeats a parameter does not show it")
    void hidesParametersInErrors() {
        var log = log(false);
        log.add(
                call(
                        "{\"a\":[{\"path\":\"/data/s3cret\"}],\"b\":\"/data\"}",
                        null,
                        "ENOENT: /data/s3cret of /data"),
                null);
        log.add(call("\"" + "x".repeat(MAX_PAYLOAD_BYTES) + "\"", null, "what xxxx?"), null);

        assertThat(calls)
                .extracting(RequestLog::errorMessage)
                .containsExactly(
                        "ENOENT: *** of ***", "(not shown beside parameters of this size)");
        assertThat(text(calls.getLast().toolParams())).isEqualTo("{\"omitted_bytes\":1026}");
    }

    private RequestLogs log(boolean values) {
        return new RequestLogs(
                new LogOptions(Duration.ofMinutes(1), 1, 20, 1024, 3, MAX_PAYLOAD_BYTES, values),
                timers,
                event -> calls.addAll(((EventBody.RequestLogs) event).requests()));
    }

    private static RequestLog call(
            String params, @Nullable String response, @Nullable String error) {
        return new RequestLog(
                "u",
                "tool",
                RawJson.of(params),
                response == null ? null : RawJson.of(response),
                1,
                error == null,
                error,
                Instant.EPOCH);
    }

    private static @Nullable String text(@Nullable RawJson json) {
        return json == null ? null : json.text();
    }
}
