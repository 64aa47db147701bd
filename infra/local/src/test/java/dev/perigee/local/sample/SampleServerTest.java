package dev.perigee.local.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleServerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "initialize ~ {\"protocolVersion\":\"2025-06-18\"} ~ \"protocolVersion\":\"2025-06-18\"",
                "initialize ~ {} ~ \"protocolVersion\":\"2025-11-25\"",
                "ping ~ {} ~ \"result\":{}",
                "tools/list ~ {} ~ \"name\":\"echo\"",
                "tools/call ~ {\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}} ~ \"text\":\"Echo: hi\"",
                "tools/call ~ {\"name\":\"echo\",\"arguments\":{}} ~ \"isError\":true",
                "tools/call ~ {\"name\":\"other\"} ~ \"code\":-32602",
                "resources/list ~ {} ~ \"code\":-32601",
            })
    void answers(String method, String parameters, String expected) {
        var request =
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"%s\",\"params\":%s}"
                        .formatted(method, parameters);

        assertThat(SampleServer.answer(request)).contains(expected, "\"id\":0");
    }

    @Test
    void answersOnlyWhatAsks() {
        assertThat(SampleServer.answer("{\"method\":\"notifications/initialized\"}")).isNull();
        assertThat(SampleServer.answer("{\"id\":1,\"result\":{}}")).isNull();
        assertThat(SampleServer.answer("garbage")).contains("-32700");
    }
}
