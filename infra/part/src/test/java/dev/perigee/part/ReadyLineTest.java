package dev.perigee.part;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadyLineTest {
    @Test
    void isWhatTheContractSays() {
        var addresses = new LinkedHashMap<String, String>();
        addresses.put("link", "ws://127.0.0.1:1/link");
        addresses.put("admin", "http://127.0.0.1:2");
        var line = new ReadyLine("worker-1", 42, addresses);

        assertThat(line)
                .hasToString(
                        "ready worker-1 pid=42 link=ws://127.0.0.1:1/link admin=http://127.0.0.1:2");
        assertThat(ReadyLine.parse(line.toString())).isEqualTo(line);
        assertThat(ReadyLine.parse("ready broker pid=1")).hasToString("ready broker pid=1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ready",
                "ready x",
                "ready x pid=y",
                "already x pid=1",
                "ready x pid=1 z"
            })
    void isNothingElse(String line) {
        assertThat(ReadyLine.parse(line)).isNull();
    }
}
