package dev.perigee.protocol.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkFrameTest {
    static Stream<LinkFrame> frames() {
        return Stream.of(
                new LinkFrame.Request(0, LinkMethod.HELLO, RawJson.of("{\"a\":1}")),
                new LinkFrame.Notification(LinkMethod.EVENT, RawJson.of("{}")),
                new LinkFrame.Response(7, RawJson.of("{}")),
                new LinkFrame.Failure(8L, LinkError.FENCED.code(), "fenced"),
                new LinkFrame.Failure(null, LinkError.PARSE_ERROR.code(), "no JSON"));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void everyKindSurvivesTheWire(LinkFrame frame) {
        assertThat(LinkFrame.decode(frame.encode())).isEqualTo(frame);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}",
                "{\"jsonrpc\":\"2.0\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"m\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"id\":-1,\"method\":\"m\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
                "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"} {}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"",
                "[]",
                "null",
                "",
                "1"
            })
    void whatIsNoMessageIsInvalid(String text) {
        assertThatThrownBy(() -> LinkFrame.decode(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(InvalidRecordException.class);
    }

    @Test
    void replyToKeepsBytesOfTheCorrelationId() {
        var reply = new SessionNotice.ReplyTo("mcp.replies", 3, new byte[] {0, -1, 7});
        var read = Json.read(Json.write(reply), SessionNotice.ReplyTo.class);
        assertThat(read.correlationId()).containsExactly(0, -1, 7);
        assertThat(read.partition()).isEqualTo(3);
    }
}
