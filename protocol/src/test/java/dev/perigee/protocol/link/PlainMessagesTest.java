package dev.perigee.protocol.link;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.Mutations;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Messages of a worker, read without a parser")
class PlainMessagesTest {
    private static final byte[] TOLD =
            new LinkFrame.Notification(
                            LinkMethod.EVENT,
                            Json.raw(
                                    new InstanceEvent(
                                            1,
                                            "p-1",
                                            2,
                                            3,
                                            "perigee.tool.result",
                                            "r-1",
                                            RawJson.of(
                                                    "{\"a\":[1.5e-3,{\"b\":\"}\\u00fcü😀\"}],\"c\":-0}"),
                                            RawJson.of("[true,null]"),
                                            new RecordOrigin("mcp.tool-requests", 3, 5L << 32),
                                            new SessionNotice.ReplyTo(
                                                    "r", 2, new byte[] {0, -1, 7, 1}),
                                            "00-0af7-b7ad-01",
                                            null)))
                    .encode();

    @Test
    @DisplayName(
            "an event read in the buffer is what the mapper makes of it, however it was changed")
    void changedEvents() {
        var mutations = new Mutations(11);
        int read = 0;
        for (int i = 0; i < 10_000; i++) {
            var utf8 = mutations.of(TOLD);
            var buffer = Arrays.copyOf(utf8, utf8.length + 9);
            buffer[utf8.length] = '}';
            var event = InstanceEvent.readMessage(buffer, utf8.length);
            if (event != null) {
                Arrays.fill(buffer, (byte) '!');
                assertThat(text(event))
                        .as(new String(utf8, ISO_8859_1))
                        .isEqualTo(outcome(() -> text(mapped(utf8))));
                read++;
            }
        }
        assertThat(read).isPositive();
    }

    @Test
    @DisplayName("an answer read without a parser is what it is with one, however it was changed")
    void changedAnswers() {
        var mutations = new Mutations(12);
        var answer = new LinkFrame.Response(40, RawJson.of("{\"a\":[1,\"}\"]}")).encode();
        for (int i = 0; i < 10_000; i++) {
            var utf8 = mutations.of(answer);
            var read = outcome(() -> text(JsonRpc.read(utf8)));
            var mapped = outcome(() -> text(Envelope.map(utf8)));
            boolean isRead = read.startsWith("{");
            assertThat(mapped.startsWith("{")).as(new String(utf8, ISO_8859_1)).isEqualTo(isRead);
            if (isRead) {
                assertThat(read).as(new String(utf8, ISO_8859_1)).isEqualTo(mapped);
            }
        }
    }

    private static String text(@Nullable Object value) {
        return value == null ? "none" : new String(Json.write(value), UTF_8);
    }

    /** A message as the mapper reads it, without a reader of ours. */
    private record Envelope(
            @Nullable String jsonrpc,
            @Nullable RawJson id,
            @Nullable String method,
            @Nullable RawJson params,
            @Nullable RawJson result,
            @Nullable RawJson error) {
        static JsonRpc map(byte[] utf8) {
            var read = Json.read(utf8, Envelope.class);
            return new JsonRpc(
                    read.jsonrpc, read.id, read.method, read.params, read.result, read.error);
        }
    }

    /** By the mapper alone. */
    private static @Nullable InstanceEvent mapped(byte[] utf8) {
        var message = Envelope.map(utf8);
        return JsonRpc.VERSION.equals(message.version())
                        && message.id() == null
                        && LinkMethod.EVENT.equals(message.method())
                        && message.params() != null
                ? Json.read(message.params(), InstanceEvent.class)
                : null;
    }

    private static String outcome(Supplier<?> reading) {
        try {
            return String.valueOf(reading.get());
        } catch (InvalidRecordException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
