package dev.perigee.worker.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.settings.HostPort;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A gateway's connection")
final class GatewayConnectionTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static final int ANSWER_BYTES = 4 << 20;
    private static final int MOST_BYTES = 4 * LinkFrame.MAX_BYTES;

    /** Larger than what is written at once. */
    private static final RawJson LARGE = RawJson.of("\"" + "x".repeat(ANSWER_BYTES) + "\"");

    private final Wire wire = new Wire();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final GatewayConnection connection =
            new GatewayConnection(
                    new LinkServerOptions(
                            Objects.requireNonNull(HostPort.parse("127.0.0.1:0")),
                            null,
                            null,
                            LONG,
                            LONG,
                            1,
                            1 << 20),
                    new Closing(),
                    new LinkConnections(),
                    new ScheduledExecutorScheduler());

    @BeforeEach
    void open() {
        connection.socket().onOpen(wire, Callback.NOOP);
    }

    @AfterEach
    void end() {
        connection.socket().onClosed(CloseStatus.NORMAL_STATUS, Callback.NOOP);
    }

    @Test
    @DisplayName("answers an attach behind the events of the feed before it")
    void answersBehindEvents() throws Exception {
        take("before");
        connection.flush();
        take("waiting");

        connection.attached(7, RawJson.of("\"attached\""));
        take("next");
        connection.tell("notice", RawJson.of("{}"));
        wire.drain();

        assertThat(wire.sent).hasSize(5);
        assertThat(wire.sent.get(0)).isEqualTo("before");
        assertThat(wire.sent.get(1)).contains("notice");
        assertThat(wire.sent.get(2)).isEqualTo("waiting");
        assertThat(wire.sent.get(3)).contains("attached").contains("7");
        assertThat(wire.sent.get(4)).isEqualTo("next");
    }

    @Test
    @DisplayName("is closed when too many bytes of answers are not read")
    void closesUnread() throws Exception {
        isClosedUnread(id -> connection.respond(id, LARGE));
    }

    @Test
    @DisplayName("is closed when too many bytes of answers to attaches are not read")
    void closesUnreadAttaches() throws Exception {
        isClosedUnread(id -> connection.attached(id, LARGE));
    }

    @Test
    @DisplayName("stays open while answers are read, however many")
    void staysOpen() {
        for (int id = 0; id <= MOST_BYTES / ANSWER_BYTES / 2; id++) {
            connection.respond(id, LARGE);
            connection.attached(id, LARGE);
            wire.drain();
        }
        assertThat(wire.goodbye).isNull();
    }

    /** One answer is being written, and as many wait behind it as there is room for. */
    private void isClosedUnread(IntConsumer answer) throws InterruptedException {
        int room = MOST_BYTES / ANSWER_BYTES;
        for (int id = 0; id < room; id++) {
            answer.accept(id);
        }
        assertThat(wire.goodbye).isNull();
        answer.accept(room);
        answer.accept(room + 1);

        assertThat(wire.goodbye).isEqualTo("1008 answers are not read");
        assertThat(wire.sent).hasSize(1);
        connection.socket().onClosed(CloseStatus.NORMAL_STATUS, Callback.NOOP);
        assertThat(closed.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(connection.isOpen()).isFalse();
    }

    private void take(String event) throws InterruptedException {
        var frame = event.getBytes(UTF_8);
        assertThat(connection.sendEvent(frame, connection.awaitRoom(frame.length))).isTrue();
    }

    /**
     * Jetty's side: keeps how what is sent begins, and has not written it before the test says so.
     */
    private static final class Wire extends CoreSession.Empty {
        final List<String> sent = new ArrayList<>();
        private final Deque<Callback> pending = new ArrayDeque<>();
        @Nullable String goodbye;

        @Override
        public void sendFrame(OutgoingEntry entry) {
            var frame = entry.getFrame();
            if (frame.getOpCode() == OpCode.TEXT) {
                var payload = frame.getPayload().slice();
                payload.limit(Math.min(payload.limit(), 200));
                sent.add(UTF_8.decode(payload).toString());
                pending.add(entry.getCallback());
            }
        }

        void drain() {
            for (var next = pending.poll(); next != null; next = pending.poll()) {
                next.succeeded();
            }
        }

        @Override
        public void close(int code, String reason, Callback callback) {
            goodbye = code + " " + reason;
        }
    }

    private final class Closing implements GatewayConnection.Handler {
        @Override
        public void handle(GatewayConnection from, byte[] message) {}

        @Override
        public boolean handleInPlace(GatewayConnection from, byte[] buffer, int length) {
            return false;
        }

        @Override
        public void answered(LinkPeer peer) {}

        @Override
        public void closed(LinkPeer peer) {
            closed.countDown();
        }
    }
}
