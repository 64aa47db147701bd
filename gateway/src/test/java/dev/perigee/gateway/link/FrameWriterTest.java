package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
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

    private void send(byte[] frame, Runnable done) {
        written.add(new String(frame, UTF_8).substring(0, 1));
        atTransport.add(done);
    }

    private static byte[] frame(String name) {
        return name.getBytes(UTF_8);
    }

    private static byte[] large(String name) {
        return frame(name.repeat(WINDOW));
    }

    @Test
    void controlGoesBeforeTheDataThatWaits() {
        writer.data(large("a"), 0);
        writer.data(frame("b"), 0);
        writer.control(frame("c"));
        writer.control(frame("d"));
        assertThat(written).containsExactly("a");

        atTransport.remove().run();

        assertThat(written).containsExactly("a", "c", "d", "b");
    }

    @Test
    void writesAheadUpToItsWindow() {
        for (var name : List.of("a", "b", "c")) {
            writer.data(frame(name), 0);
        }

        assertThat(written).containsExactly("a", "b", "c");
    }

    @Test
    void dataIsBoundedByBytes() throws Exception {
        var first = writer.reserve(900, LONG);
        writer.data(frame("a"), first);

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
        assertThat(written).isEmpty();
    }

    @Test
    void aConnectionThatPilesUpControlFramesIsBroken() {
        writer.data(large("a"), 0);
        for (var i = 0; i <= 20_000; i++) {
            writer.control(frame("c"));
        }

        assertThat(broken).isNotEmpty();
    }

    @Test
    void aTransportThatThrowsIsBrokenAndDoesNotBlockTheWriter() {
        var failing =
                new FrameWriter(
                        (frame, done) -> {
                            throw new IllegalStateException("closed");
                        },
                        BUFFER,
                        broken::add);

        failing.data(frame("a"), 0);
        failing.data(frame("b"), 0);

        assertThat(broken).hasSize(2);
    }

    @Test
    void keepsTheOrderOfEachThreadUnderContention() throws Exception {
        var sent = new ConcurrentLinkedQueue<String>();
        try (var completing = Executors.newSingleThreadExecutor();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var contended =
                    new FrameWriter(
                            (frame, done) -> {
                                sent.add(new String(frame, UTF_8));
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
