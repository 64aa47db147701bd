package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class FrameWriterTest {
    private static final int BUFFER = 1000;
    private static final int WINDOW = 64 * 1024;
    private static final long NOT_LONG = Duration.ofMillis(20).toNanos();
    private static final long LONG = Duration.ofSeconds(20).toNanos();

    private final List<String> written = new ArrayList<>();
    private final Deque<Runnable> atTransport = new ArrayDeque<>();
    private final List<String> broken = new ArrayList<>();
    private final FrameWriter writer = new FrameWriter(this::send, BUFFER, broken::add);

    private void send(List<byte[]> frames, int bytes, Runnable done) {
        assertThat(bytes).isEqualTo(frames.stream().mapToInt(frame -> frame.length).sum());
        written.add(
                frames.stream()
                        .map(frame -> new String(frame, UTF_8).substring(0, 1))
                        .collect(joining()));
        atTransport.add(done);
    }

    private void data(byte[] frame) {
        writer.data(frame, 0);
        writer.flush();
    }

    private static byte[] frame(String name) {
        return name.getBytes(UTF_8);
    }

    private static byte[] large(String name) {
        return frame(name.repeat(WINDOW));
    }

    @Test
    void controlGoesBeforeTheDataThatWaits() {
        data(large("a"));
        data(frame("b"));
        writer.control(frame("c"));
        writer.control(frame("d"));
        assertThat(written).containsExactly("a");

        atTransport.remove().run();

        assertThat(written).containsExactly("a", "cdb");
    }

    @Test
    void writesAheadUpToItsWindow() {
        for (var name : List.of("a", "b", "c")) {
            data(frame(name));
        }

        assertThat(written).containsExactly("a", "b", "c");
    }

    @Test
    void whatCameSinceTheLastFlushIsWrittenTogetherUpToTheWindow() {
        for (var name : List.of("a", "b", "c")) {
            writer.data(frame(name), 0);
        }
        writer.data(large("d"), 0);
        writer.data(frame("e"), 0);
        assertThat(written).isEmpty();

        writer.flush();
        assertThat(written).containsExactly("abcd");
        atTransport.remove().run();

        assertThat(written).containsExactly("abcd", "e");
    }

    @Test
    void aControlFrameTakesAlongWhatWasNotFlushed() {
        writer.data(frame("a"), 0);
        writer.control(frame("b"));

        assertThat(written).containsExactly("ba");
    }

    @Test
    void dataIsBoundedByBytes() throws Exception {
        var first = writer.reserve(900, LONG);
        writer.data(frame("a"), first);
        writer.flush();

        assertThat(writer.reserve(200, NOT_LONG)).isEqualTo(-1);
        atTransport.remove().run();
        assertThat(writer.reserve(200, NOT_LONG)).isEqualTo(200);
    }

    @Test
    void whatIsLargerThanTheBufferTakesAllOfIt() throws Exception {
        assertThat(writer.reserve(5 * BUFFER, LONG)).isEqualTo(BUFFER);
        assertThat(writer.reserve(1, NOT_LONG)).isEqualTo(-1);
        writer.release(BUFFER);
        assertThat(writer.reserve(1, NOT_LONG)).isEqualTo(1);
    }

    @Test
    void aCloseLetsWaitersGo() throws Exception {
        writer.reserve(BUFFER, LONG);
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = callers.submit(() -> writer.reserve(BUFFER, LONG));
            writer.close();
            assertThat(waiting.get()).isEqualTo(BUFFER);
        }
        writer.data(frame("a"), BUFFER);
        writer.control(frame("b"));
        writer.flush();
        assertThat(written).isEmpty();
    }

    @Test
    void aConnectionThatPilesUpControlFramesIsBroken() {
        data(large("a"));
        for (var i = 0; i <= 20_000; i++) {
            writer.control(frame("c"));
        }

        assertThat(broken).isNotEmpty();
    }

    @Test
    void aTransportThatThrowsIsBrokenAndDoesNotBlockTheWriter() {
        var failing =
                new FrameWriter(
                        (frames, bytes, done) -> {
                            throw new IllegalStateException("closed");
                        },
                        BUFFER,
                        broken::add);

        failing.data(frame("a"), 0);
        failing.flush();
        failing.data(frame("b"), 0);
        failing.flush();

        assertThat(broken).hasSize(2);
    }

    @Test
    void keepsTheOrderOfEachThreadUnderContention() throws Exception {
        var sent = new ConcurrentLinkedQueue<String>();
        try (var completing = Executors.newSingleThreadExecutor();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var contended =
                    new FrameWriter(
                            (frames, bytes, done) -> {
                                frames.forEach(frame -> sent.add(new String(frame, UTF_8)));
                                completing.execute(done);
                            },
                            BUFFER,
                            broken::add);
            for (var caller = 0; caller < 4; caller++) {
                var name = caller;
                callers.execute(
                        () -> {
                            for (var i = 0; i < 500; i++) {
                                contended.data(frame(name + ":" + i), 0);
                                contended.flush();
                            }
                        });
            }
            await().until(() -> sent.size() == 2000);
        }
        for (var caller = 0; caller < 4; caller++) {
            var name = caller + ":";
            assertThat(sent.stream().filter(frame -> frame.startsWith(name)))
                    .extracting(frame -> Integer.valueOf(frame.substring(2)))
                    .isSorted()
                    .hasSize(500);
        }
    }
}
