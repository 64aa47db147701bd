package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A stream of events")
final class EventFramerTest {

    /** What a stream says, fed in chunks of this size. */
    private static List<String> read(String stream, int chunkBytes) {
        var said = new ArrayList<String>();
        var framer =
                new EventFramer(
                        new EventFramer.Sink() {
                            @Override
                            public void message(String data) {
                                said.add(data);
                            }

                            @Override
                            public void id(String id) {
                                said.add("#" + id);
                            }

                            @Override
                            public void retry(Duration pause) {
                                said.add("after " + pause);
                            }
                        });
        var bytes = stream.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < bytes.length; at += chunkBytes) {
            framer.accept(ByteBuffer.wrap(bytes, at, Math.min(chunkBytes, bytes.length - at)));
        }
        return said;
    }

    @Test
    @DisplayName("is read however its chunks and line ends fall")
    void isRead() {
        var stream =
                """
                retry: 1500

                : a comment

                id: 1
                event: message
                data: {"ä":1}

                data:{
                data: }
                id:2

                event: other
                data: no message

                id: 3
                data:

                """;
        for (var lineEnd : List.of("\n", "\r\n", "\r")) {
            for (int chunk = 1; chunk < 9; chunk++) {
                assertThat(read(stream.replace("\n", lineEnd), chunk))
                        .containsExactly("after PT1.5S", "#1", "{\"ä\":1}", "#2", "{\n}", "#3");
            }
        }
    }

    @Test
    @DisplayName("has no event, and no id, that is not complete")
    void isCutOff() {
        assertThat(read("id: 1\ndata: a\n\nid: 23\ndata: b\n", 100)).containsExactly("#1", "a");
    }

    @Test
    @DisplayName("may say what no one understands")
    void isOdd() {
        assertThat(
                        read(
                                "retry: soon\nretry: 99999999999\nid: a\0b\nfoo: x\nbar\ndata: a\n\n\n\n",
                                100))
                .containsExactly("a");
    }
}
