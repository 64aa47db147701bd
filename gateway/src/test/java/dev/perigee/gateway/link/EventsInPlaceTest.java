package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Events that are read in the read buffer")
final class EventsInPlaceTest {
    private final List<InstanceEvent> events = new ArrayList<>();
    private final LinkConnection connection =
            LinkConnectionTest.connection(
                    Duration.ofMinutes(1),
                    new LinkConnectionTest.NoNotices() {
                        @Override
                        public void event(long generation, InstanceEvent event, int creditBytes) {
                            events.add(event);
                            if (event.seq() == 0) {
                                throw new IllegalStateException("no event has this number");
                            }
                        }
                    });

    @Test
    @DisplayName("are what they are as messages, and stay so when the buffer is used again")
    void stay() {
        var first = event(1, "ü");
        var second = event(2, "x".repeat(40_000));
        var payload = ByteBuffer.wrap(message(first));

        assertThat(connection.messageInPlace(payload)).isTrue();
        assertThat(connection.messageInPlace(ByteBuffer.wrap(message(second)))).isTrue();

        assertThat(payload.position()).isZero();
        assertThat(events).containsExactly(first, second);
    }

    @Test
    @DisplayName("are taken as messages where they are large or written in another form")
    void others() {
        var large = event(1, "x".repeat(64 << 10));
        var odd = "{\"id\":null," + new String(message(event(2, "a")), UTF_8).substring(1);

        for (var message : List.of(message(large), odd.getBytes(UTF_8))) {
            assertThat(connection.messageInPlace(ByteBuffer.wrap(message))).isFalse();
            connection.message(message);
        }

        assertThat(events).containsExactly(large, event(2, "a"));
    }

    @Test
    @DisplayName("are nothing else: answers and what is no message are left to the reader of all")
    void nothingElse() {
        for (var message :
                List.of(
                        new LinkFrame.Response(1, RawJson.EMPTY_OBJECT).encode(),
                        new LinkFrame.Request(1, LinkMethod.EVENT, Json.raw(event(1, "a")))
                                .encode(),
                        "{\"jsonrpc\":\"2.0\"".getBytes(UTF_8),
                        new byte[0])) {
            assertThat(connection.messageInPlace(ByteBuffer.wrap(message))).isFalse();
        }
        assertThat(events).isEmpty();
    }

    @Test
    @DisplayName("harm the connection as little as messages do, and are nothing once it is closed")
    void failures() {
        assertThat(connection.messageInPlace(ByteBuffer.wrap(message(event(0, "a"))))).isTrue();
        assertThat(connection.isClosed()).isFalse();

        connection.close("closed here");

        assertThat(connection.messageInPlace(ByteBuffer.wrap(message(event(1, "a"))))).isFalse();
        connection.message(message(event(1, "a")));
        assertThat(events).containsExactly(event(0, "a"));
    }

    private static InstanceEvent event(long seq, String text) {
        return new InstanceEvent(
                1,
                "p-1",
                5,
                seq,
                "mcp.server.logs",
                "p-1",
                RawJson.of("{\"a\":\"" + text + "\"}"),
                null,
                null,
                null,
                null,
                null);
    }

    private static byte[] message(InstanceEvent event) {
        return new LinkFrame.Notification(LinkMethod.EVENT, Json.raw(event)).encode();
    }
}
