package dev.perigee.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.LinkFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LinkSocketTest {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Session session = new Session();
    private final LinkSocket socket = new LinkSocket(new Teller());

    private final class Teller implements LinkSocket.Listener {
        @Override
        public void opened() {
            events.add("opened");
        }

        @Override
        public boolean messageInPlace(ByteBuffer utf8) {
            var text = UTF_8.decode(utf8.slice()).toString();
            boolean taken = text.startsWith("in place");
            if (taken) {
                events.add("taken " + text);
            }
            return taken;
        }

        @Override
        public void message(byte[] utf8) {
            events.add(utf8.length > 100 ? utf8.length + " bytes" : new String(utf8, UTF_8));
        }

        @Override
        public void pong(@Nullable Long sentNanos) {
            events.add("pong " + sentNanos);
        }

        @Override
        public void binary() {
            events.add("binary");
        }

        @Override
        public void tooLarge() {
            events.add("too large");
            socket.abort();
        }

        @Override
        public void closing() {
            events.add("closing");
        }

        @Override
        public void failed(Throwable cause) {
            events.add(String.valueOf(cause.getMessage()));
        }

        @Override
        public void closed(int status) {
            events.add("closed " + status);
        }
    }

    /** Jetty's side: keeps what is sent. */
    private static final class Session extends CoreSession.Empty {
        final List<String> sent = new CopyOnWriteArrayList<>();
        final List<ByteBuffer> pings = new CopyOnWriteArrayList<>();
        final CompletableFuture<Void> aborted = new CompletableFuture<>();
        int demands;

        @Override
        public void sendFrame(OutgoingEntry entry) {
            var frame = entry.getFrame();
            if (frame.getOpCode() == OpCode.PING) {
                pings.add(frame.getPayload());
            } else {
                sent.add(
                        OpCode.name(frame.getOpCode())
                                + " "
                                + UTF_8.decode(frame.getPayload().slice())
                                + (entry.isBatch() ? " and" : ""));
            }
            entry.getCallback().succeeded();
        }

        @Override
        public void close(int code, String reason, Callback callback) {
            sent.add("CLOSE " + code + " " + reason);
        }

        @Override
        public void abort() {
            aborted.complete(null);
        }

        @Override
        public void demand() {
            demands++;
        }
    }

    private void open() {
        socket.onOpen(session, Callback.NOOP);
        events.clear();
    }

    private void arrives(byte code, boolean last, byte[] payload) {
        var frame = new Frame(code, last, ByteBuffer.wrap(payload));
        int before = session.demands;
        var done = new ArrayList<String>();
        socket.onFrame(frame, Callback.from(() -> done.add("done")));
        assertThat(done).hasSize(1);
        assertThat(session.demands - before).isEqualTo(code == OpCode.CLOSE ? 0 : 1);
    }

    private void arrives(byte code, String payload) {
        arrives(code, true, payload.getBytes(UTF_8));
    }

    @Test
    void cutsWhatIsNotWantedAnyMoreWhenItOpens() {
        socket.abort();
        socket.onOpen(session, Callback.NOOP);

        assertThat(session.aborted).isDone();
        assertThat(session.demands).isZero();
    }

    @Test
    void putsMessagesTogether() {
        open();
        arrives(OpCode.TEXT, "whole");
        arrives(OpCode.TEXT, false, "one ".getBytes(UTF_8));
        arrives(OpCode.PING, "between");
        arrives(OpCode.CONTINUATION, false, "two ".getBytes(UTF_8));
        arrives(OpCode.CONTINUATION, true, "three".getBytes(UTF_8));

        assertThat(events).containsExactly("whole", "one two three");
        assertThat(session.sent).containsExactly("PONG between");
    }

    @Test
    void hasMessagesOfOneFrameReadInPlace() {
        open();
        arrives(OpCode.TEXT, "in place");
        arrives(OpCode.TEXT, "copied");
        arrives(OpCode.TEXT, false, "in place, ".getBytes(UTF_8));
        arrives(OpCode.CONTINUATION, true, "in place".getBytes(UTF_8));

        assertThat(events).containsExactly("taken in place", "copied", "in place, in place");
    }

    @Test
    void tellsOfWhatItDoesNotTake() {
        open();
        arrives(OpCode.BINARY, "x");
        arrives(OpCode.TEXT, false, new byte[LinkFrame.MAX_BYTES]);
        arrives(OpCode.CONTINUATION, "x");
        arrives(OpCode.TEXT, "discarded");
        arrives(OpCode.CLOSE, "");

        assertThat(events).containsExactly("binary", "too large", "closing");
        assertThat(session.aborted).isDone();
    }

    @Test
    void takesAMessageOfTheLargestSize() {
        open();
        arrives(OpCode.TEXT, true, new byte[LinkFrame.MAX_BYTES]);

        assertThat(events).containsExactly(LinkFrame.MAX_BYTES + " bytes");
    }

    @Test
    void flushesWithTheLastOfWhatIsWritten() {
        open();
        var written = new ArrayList<String>();

        socket.write(
                List.of("a".getBytes(UTF_8), "b".getBytes(UTF_8)),
                Callback.from(() -> written.add("yes")));

        assertThat(session.sent).containsExactly("TEXT a and", "TEXT b");
        assertThat(written).hasSize(1);
    }

    @Test
    void failsWhatIsWrittenBeforeItIsOpen() {
        var failed = new ArrayList<Throwable>();

        socket.write(List.of(new byte[1]), Callback.from(() -> {}, failed::add));

        assertThat(failed).singleElement().isInstanceOf(IOException.class);
    }

    @Test
    void discardsWhatArrivesAfterItsGoodbye() {
        open();
        socket.close(CloseStatus.SHUTDOWN, "bye");
        socket.close(CloseStatus.BAD_DATA, "again");
        arrives(OpCode.TEXT, "late");
        socket.onClosed(new CloseStatus(CloseStatus.SHUTDOWN), Callback.NOOP);

        assertThat(session.sent).containsExactly("CLOSE 1001 bye");
        assertThat(events).containsExactly("closed 1001");
    }

    @Test
    void tellsOfFailures() {
        open();
        socket.onError(new IOException("reset"), Callback.NOOP);

        assertThat(events).containsExactly("reset");
    }

    @Test
    void saysWhenItIsSilentForTooLong() throws Exception {
        open();
        var silent = new Liveness(Duration.ofMillis(20), System.nanoTime());

        assertThat(socket.keepAlive(Duration.ofMillis(1), silent)).isTrue();
    }

    @Test
    void pingsUntilItIsOver() throws Exception {
        open();
        var lively = new Liveness(Duration.ofDays(1), System.nanoTime());
        var ended = new CompletableFuture<Boolean>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                ended.complete(socket.keepAlive(Duration.ofMillis(1), lively));
                            } catch (InterruptedException e) {
                                ended.completeExceptionally(e);
                            }
                        });
        long sent;
        try {
            await().until(() -> !session.pings.isEmpty());
            sent = session.pings.getFirst().getLong(0);
            arrives(OpCode.PONG, true, session.pings.getFirst().array());
            arrives(OpCode.PONG, "unasked");
        } finally {
            socket.onClosed(CloseStatus.NORMAL_STATUS, Callback.NOOP);
        }

        assertThat(ended.get(20, TimeUnit.SECONDS)).isFalse();
        assertThat(events).containsExactly("pong " + sent, "pong null", "closed 1000");
    }
}
