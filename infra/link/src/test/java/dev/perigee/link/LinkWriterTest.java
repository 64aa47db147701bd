package dev.perigee.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

final class LinkWriterTest {
    private static final int ROOM = 1000;
    private static final int BATCH = 64 * 1024;
    private static final long NOT_LONG = Duration.ofMillis(20).toNanos();
    private static final long LONG = Duration.ofSeconds(20).toNanos();

    private final Wire wire = new Wire();
    private final LinkWriter writer =
            new LinkWriter(wire, new LinkWriter.Limits(ROOM, 20_000, 10L * BATCH));

    /** A transport that has what is written until a test lets go of it. */
    private static final class Wire implements LinkWriter.Transport {
        final List<String> written = new ArrayList<>();
        final Deque<Callback> pending = new ArrayDeque<>();
        final List<Throwable> broken = new ArrayList<>();
        int finished;

        @Override
        public void write(List<byte[]> messages, int bytes, Callback done) {
            assertThat(bytes).isEqualTo(messages.stream().mapToInt(each -> each.length).sum());
            written.add(
                    messages.stream()
                            .map(each -> new String(each, UTF_8).substring(0, 1))
                            .collect(joining()));
            pending.add(done);
        }

        @Override
        public void broken(Throwable cause) {
            broken.add(cause);
        }

        @Override
        public void finished() {
            finished++;
        }
    }

    private void data(byte[] message) {
        writer.data(message, 0);
        writer.flush();
    }

    private void control(byte[] message) {
        assertThat(writer.control(message)).isTrue();
        writer.flush();
    }

    private void let() {
        wire.pending.remove().succeeded();
    }

    private static byte[] message(String name) {
        return name.getBytes(UTF_8);
    }

    private static byte[] large(String name) {
        return message(name.repeat(BATCH));
    }

    @Test
    void controlGoesBeforeTheDataThatWaits() {
        data(large("a"));
        data(message("b"));
        control(message("c"));
        control(message("d"));
        assertThat(wire.written).containsExactly("a");

        let();

        assertThat(wire.written).containsExactly("a", "cdb");
    }

    @Test
    void whatComesWhileItWritesIsWrittenTogetherAfterwards() {
        for (var name : List.of("a", "b", "c")) {
            data(message(name));
        }
        assertThat(wire.written).containsExactly("a");

        let();

        assertThat(wire.written).containsExactly("a", "bc");
    }

    @Test
    void whatCameSinceTheLastFlushIsWrittenTogetherUpToABatch() {
        for (var name : List.of("a", "b", "c")) {
            writer.data(message(name), 0);
        }
        writer.data(large("d"), 0);
        writer.data(message("e"), 0);
        assertThat(wire.written).isEmpty();

        writer.flush();
        assertThat(wire.written).containsExactly("abcd");
        let();

        assertThat(wire.written).containsExactly("abcd", "e");
    }

    @Test
    void controlTakesAlongWhatWasNotFlushed() {
        writer.data(message("a"), 0);
        control(message("b"));

        assertThat(wire.written).containsExactly("ba");
    }

    @Test
    void dataIsBoundedByBytesUntilItIsWritten() throws Exception {
        int first = writer.reserve(900, LONG);
        writer.data(message("a"), first);
        writer.flush();

        assertThat(writer.reserve(200)).isEqualTo(-1);
        assertThat(writer.reserve(200, NOT_LONG)).isEqualTo(-1);
        let();
        assertThat(writer.reserve(200, NOT_LONG)).isEqualTo(200);
    }

    @Test
    void whatIsSmallDoesNotPassWhoWaitsForMuch() throws Exception {
        int first = writer.reserve(600, LONG);
        writer.data(message("a"), first);
        writer.flush();
        var reserved = new CompletableFuture<Integer>();
        var waiting =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        reserved.complete(writer.awaitRoom(ROOM));
                                    } catch (InterruptedException e) {
                                        reserved.completeExceptionally(e);
                                    }
                                });
        await().until(() -> waiting.getState() == Thread.State.WAITING);

        assertThat(writer.reserve(100)).isEqualTo(-1);
        let();

        assertThat(reserved.get(20, TimeUnit.SECONDS)).isEqualTo(ROOM);
    }

    @Test
    void whatIsLargerThanTheRoomTakesAllOfIt() throws Exception {
        assertThat(writer.reserve(5 * ROOM, LONG)).isEqualTo(ROOM);
        assertThat(writer.reserve(1, NOT_LONG)).isEqualTo(-1);
        writer.release(ROOM);
        assertThat(writer.reserve(1, NOT_LONG)).isEqualTo(1);
    }

    @Test
    void messagesWithoutRoomAreMadeWhenTheirTurnComes() {
        data(large("a"));
        var made = new ArrayList<String>();
        writer.data(
                () -> {
                    made.add("b");
                    return message("b");
                });
        writer.flush();
        assertThat(made).isEmpty();

        let();

        assertThat(made).containsExactly("b");
        assertThat(wire.written).containsExactly("a", "b");
    }

    @Test
    void aCloseLetsWaitersGoAndWritesNothingMore() throws Exception {
        writer.reserve(ROOM, LONG);
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = callers.submit(() -> writer.reserve(ROOM, LONG));
            writer.close();
            assertThat(waiting.get()).isEqualTo(ROOM);
        }
        writer.close();
        assertThat(writer.data(message("a"), ROOM)).isFalse();
        control(message("b"));
        writer.data(() -> message("c"));
        writer.flush();
        assertThat(wire.written).isEmpty();
    }

    @Test
    void finishingWritesWhatWaitsAndNothingElse() throws Exception {
        data(large("a"));
        writer.data(message("b"), writer.reserve(ROOM, LONG));
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = callers.submit(() -> writer.reserve(ROOM, LONG));
            writer.finish();
            assertThat(writer.data(message("c"), waiting.get())).isFalse();
        }
        control(message("d"));

        let();
        assertThat(wire.finished).isZero();
        let();

        assertThat(wire.written).containsExactly("a", "b");
        assertThat(wire.finished).isEqualTo(1);
        writer.flush();
        assertThat(wire.finished).isEqualTo(1);
    }

    @Test
    void controlIsBoundedInNumber() {
        data(large("a"));
        for (int i = 0; i < 20_000; i++) {
            control(message("c"));
        }

        assertThat(writer.control(message("c"))).isFalse();
    }

    @Test
    void controlIsBoundedInBytes() {
        data(large("a"));
        for (int i = 0; i < 10; i++) {
            control(large("c"));
        }

        assertThat(writer.control(message("c"))).isFalse();
    }

    @Test
    void anAnswerBehindDataKeepsItsPlaceAndCountsAsControlUntilItsTurn() {
        data(large("a"));
        writer.data(message("b"), 0);
        for (int i = 0; i < 10; i++) {
            assertThat(writer.answerBehindData(large("c"))).isTrue();
        }
        assertThat(writer.answerBehindData(message("c"))).isFalse();
        assertThat(writer.control(message("d"))).isFalse();

        let();

        assertThat(wire.written).containsExactly("a", "bc");
    }

    @Test
    void aFailedWriteIsToldOnceAndLetsWaitersGo() throws Exception {
        writer.data(message("a"), writer.reserve(ROOM, LONG));
        writer.flush();
        writer.data(message("b"), 0);
        var failure = new IOException("reset");

        wire.pending.remove().failed(failure);
        writer.flush();

        assertThat(wire.written).containsExactly("a");
        assertThat(wire.broken).containsExactly(failure);
        assertThat(writer.reserve(ROOM, LONG)).isEqualTo(ROOM);
    }

    @Test
    void aMessageThatCannotBeMadeBreaksTheConnection() {
        writer.data(
                () -> {
                    throw new IllegalStateException("unmade");
                });
        writer.flush();
        data(message("b"));

        assertThat(wire.written).isEmpty();
        assertThat(wire.broken).hasSize(1);
    }

    @Test
    void keepsTheOrderOfEachThreadUnderContention() throws Exception {
        var sent = new ConcurrentLinkedQueue<String>();
        try (var completing = Executors.newSingleThreadExecutor();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var contended =
                    new LinkWriter(
                            new Sink(sent, completing),
                            new LinkWriter.Limits(ROOM, 1, Long.MAX_VALUE));
            for (int caller = 0; caller < 4; caller++) {
                int name = caller;
                callers.execute(
                        () -> {
                            for (int i = 0; i < 500; i++) {
                                contended.data(message(name + ":" + i), 0);
                                contended.flush();
                            }
                        });
            }
            await().until(() -> sent.size() == 2000);
        }
        for (int caller = 0; caller < 4; caller++) {
            var name = caller + ":";
            assertThat(sent.stream().filter(each -> each.startsWith(name)))
                    .extracting(each -> Integer.valueOf(each.substring(2)))
                    .isSorted()
                    .hasSize(500);
        }
    }

    /** A transport that lets go on a thread of its own. */
    private record Sink(ConcurrentLinkedQueue<String> sent, Executor completing)
            implements LinkWriter.Transport {
        @Override
        public void write(List<byte[]> messages, int bytes, Callback done) {
            messages.forEach(each -> sent.add(new String(each, UTF_8)));
            completing.execute(done::succeeded);
        }

        @Override
        public void broken(Throwable cause) {
            throw new AssertionError(cause);
        }
    }
}
