package dev.perigee.worker.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A message that a server logs by MCP")
final class ServerMessageTest {
    private static final String SECRET = "ab/cd\u00e9";

    @ParameterizedTest
    @DisplayName("has no secret in its line, however JSON writes it")
    @ValueSource(
            strings = {
                "\"it is ab/cd\u00e9\"",
                "{\"auth\":\"ab\\/cd\u00e9\"}",
                "[{\"deep\":\"ab/cd\\u00e9\"}]"
            })
    void masks(String data) {
        var message =
                Objects.requireNonNull(
                        ServerMessage.read(
                                RawJson.of("{\"level\":\"info\",\"data\":%s}".formatted(data))));

        var line = message.masked(text -> text.replace(SECRET, "***")).line(1_000);

        assertThat(line).contains("***").doesNotContain("ab/cd", "ab\\/cd");
    }
}
