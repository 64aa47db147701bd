package dev.perigee.worker.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Over a connection whose other end keeps what it gets, and whose time passes by the test. */
@DisplayName("The acceptance of an order")
final class DeferredAcceptancesTest {
    private static final int MOST = 3;

    private final Clockwork clockwork = new Clockwork();
    private final Ears ears = new Ears();
    private final GatewayConnection connection =
            new GatewayConnection(
                    new LinkServerOptions(
                            Objects.requireNonNull(HostPort.parse("127.0.0.1:0")),
                            null,
                            null,
                            Duration.ofDays(1),
                            Duration.ofDays(2),
                            MOST,
                            1 << 20),
                    new NoHandler(),
                    new LinkConnections(),
                    clockwork);

    DeferredAcceptancesTest() {
        connection.socket().onOpen(ears, Callback.NOOP);
    }

    @AfterEach
    void close() {
        connection.socket().onClosed(new CloseStatus(CloseStatus.NORMAL), Callback.NOOP);
    }

    private static RecordOrigin request(long offset) {
        return new RecordOrigin("tool-requests", 3, offset);
    }

    @Test
    @DisplayName("is left out where the result goes out meanwhile")
    void isLeftOut() {
        connection.greeted("g-1", LinkVersions.IMPLIED_ACCEPTANCES);
        connection.acceptSoon(1, request(1));
        connection.resultTaken(request(1));
        connection.acceptSoon(2, request(2));
        clockwork.tick();
        connection.resultTaken(request(2));
        clockwork.tick();

        assertThat(ears.answers).isEmpty();
        assertThat(clockwork.due).as("timers").isEmpty();
    }

    @Test
    @DisplayName("is sent once where no result goes out, as without credit, and no other's is")
    void isSentLater() {
        connection.greeted("g-1", LinkVersions.IMPLIED_ACCEPTANCES);
        connection.acceptSoon(1, request(1));
        connection.acceptSoon(2, request(2));
        connection.resultTaken(request(2));
        clockwork.tick();
        assertThat(ears.answers).isEmpty();
        clockwork.tick();
        assertThat(ears.answers).containsExactly(1L);

        connection.resultTaken(request(1));
        connection.acceptSoon(3, request(1));
        clockwork.tick();
        clockwork.tick();

        assertThat(ears.answers).containsExactly(1L, 3L);
        assertThat(clockwork.due).as("timers").isEmpty();
    }

    @Test
    @DisplayName("is sent whatever comes to a gateway of an earlier version")
    void isSentToAnEarlierVersion() {
        connection.greeted("g-1", LinkVersions.IMPLIED_ACCEPTANCES - 1);
        connection.acceptSoon(1, request(1));
        connection.resultTaken(request(1));
        clockwork.tick();

        assertThat(ears.answers).containsExactly(1L);
        assertThat(clockwork.due).as("timers").isEmpty();
    }

    @Test
    @DisplayName("is sent with what comes next where too many are kept back, or one of its request")
    void isBounded() {
        connection.greeted("g-1", LinkVersions.IMPLIED_ACCEPTANCES);
        connection.acceptSoon(1, request(1));
        connection.acceptSoon(2, request(1));
        connection.acceptSoon(3, request(2));
        clockwork.tick();
        connection.acceptSoon(4, request(1));
        connection.acceptSoon(5, request(5));
        connection.acceptSoon(6, request(6));
        connection.refuse(7L, LinkError.OVERLOADED, "at once, and takes along");
        assertThat(ears.answers).containsExactly(2L, 4L, 6L, 7L);
    }

    @Test
    @DisplayName("goes before the goodbye of a worker that leaves")
    void goesBeforeTheGoodbye() {
        connection.greeted("g-1", LinkVersions.IMPLIED_ACCEPTANCES);
        connection.acceptSoon(1, request(1));
        connection.finish();
        clockwork.tick();

        assertThat(ears.answers).containsExactly(1L);
        assertThat(clockwork.due).as("timers").isEmpty();
    }

    @Test
    @DisplayName("ends with its connection")
    void endsWithItsConnection() {
        connection.greeted("g-1", LinkVersions.IMPLIED_ACCEPTANCES);
        connection.acceptSoon(1, request(1));
        close();
        await().until(() -> !connection.isOpen());
        await().untilAsserted(
                        () -> {
                            clockwork.tick();
                            assertThat(clockwork.due).as("timers").isEmpty();
                        });
        connection.acceptSoon(2, request(2));

        assertThat(ears.answers).isEmpty();
        assertThat(clockwork.due).as("timers").isEmpty();
    }

    /** Keeps what is to be done later, for the test's thread. */
    private static final class Clockwork extends AbstractLifeCycle implements Scheduler {
        final Queue<Runnable> due = new ArrayDeque<>();

        @Override
        public Task schedule(Runnable task, long delay, TimeUnit units) {
            due.add(task);
            return () -> due.remove(task);
        }

        void tick() {
            for (int left = due.size(); left > 0; left--) {
                due.remove().run();
            }
        }
    }

    /** The gateway's end: the ids of the answers it got. */
    private static final class Ears extends CoreSession.Empty {
        final List<Long> answers = new ArrayList<>();

        @Override
        public void sendFrame(OutgoingEntry entry) {
            var frame = entry.getFrame();
            if (frame.getOpCode() == OpCode.TEXT) {
                switch (LinkFrame.decode(frame.getPayloadAsUTF8().getBytes(UTF_8))) {
                    case LinkFrame.Response response -> answers.add(response.id());
                    case LinkFrame.Failure failure ->
                            answers.add(Objects.requireNonNull(failure.id()));
                    case LinkFrame.Request _, LinkFrame.Notification _ -> {}
                }
            }
            entry.getCallback().succeeded();
        }
    }

    private static final class NoHandler implements GatewayConnection.Handler {
        @Override
        public void handle(GatewayConnection from, byte[] message) {}

        @Override
        public boolean handleInPlace(GatewayConnection from, byte[] buffer, int length) {
            return false;
        }

        @Override
        public void answered(LinkPeer peer) {}

        @Override
        public void closed(LinkPeer peer) {}
    }
}
