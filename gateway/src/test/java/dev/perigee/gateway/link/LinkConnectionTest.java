package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-14: The end of a connection without a word")
final class LinkConnectionTest {
    @Test
    @DisplayName("is the worker's doing while it was heard of")
    void thereWhileHeard() {
        var connection = connection(Duration.ofMinutes(1));

        connection.closedThere("reset");

        assertThat(connection.wasClosedThere()).isTrue();
        assertThat(connection.closeReason()).isEqualTo("reset");
    }

    @Test
    @DisplayName("says nothing of it after a silence: it may live, and have given this side up")
    void unknownAfterASilence() {
        var connection = connection(Duration.ofNanos(1));

        connection.closedThere("reset");

        assertThat(connection.wasClosedThere()).isFalse();
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    @DisplayName("does not count where this side ended it before")
    void hereFirst() {
        var connection = connection(Duration.ofMinutes(1));

        connection.close("no pong");
        connection.closedThere("reset");

        assertThat(connection.wasClosedThere()).isFalse();
    }

    @Test
    @DisplayName("is this side's doing where a worker does not read what it is asked")
    void endsWhereControlIsFull() {
        var connection = connection(Duration.ofMinutes(1));
        connection.socket().onOpen(new NeverWritten(), Callback.NOOP);

        int asked = 0;
        while (!connection.isClosed() && asked < 100_000) {
            connection.tell("session/lease", Map.of());
            asked++;
        }

        assertThat(connection.closeReason()).isEqualTo("the worker does not read");
        assertThat(asked).isGreaterThan(20_000);
    }

    @Test
    @DisplayName("is the worker's doing where a write failed, unless TLS or this side failed it")
    void brokenWrites() {
        var reset = connection(Duration.ofMinutes(1));
        var refused = connection(Duration.ofMinutes(1));
        var notMade = connection(Duration.ofMinutes(1));

        reset.broken(new IOException("reset"));
        refused.broken(new SSLException("bad record"));
        notMade.broken(new IllegalStateException("no frame"));

        assertThat(reset.wasClosedThere()).isTrue();
        assertThat(refused.wasClosedThere()).isFalse();
        assertThat(refused.closeReason()).isEqualTo("write failed: SSLException");
        assertThat(notMade.wasClosedThere()).isFalse();
        assertThat(notMade.isClosed()).isTrue();
    }

    /** A connection whose peer reads nothing: no write ends. */
    private static final class NeverWritten extends CoreSession.Empty {
        @Override
        public void sendFrame(OutgoingEntry entry) {}
    }

    private static LinkConnection connection(Duration deadAfter) {
        return connection(deadAfter, new NoNotices());
    }

    static LinkConnection connection(Duration deadAfter, NoticeHandler notices) {
        var like = LinkFixture.options(1, FakeWorker.TOKEN, null, Duration.ofSeconds(1), 1 << 20);
        var timing = like.timing();
        var options =
                new LinkOptions(
                        like.gatewayId(),
                        like.workers(),
                        like.refresh(),
                        like.token(),
                        null,
                        like.minimumRetention(),
                        like.lease(),
                        like.creditBytes(),
                        like.sendBufferBytes(),
                        new LinkOptions.Timing(
                                timing.connectTimeout(),
                                timing.answerTimeout(),
                                timing.pingInterval(),
                                deadAfter,
                                timing.refusedFor(),
                                timing.recoveryMargin(),
                                timing.backoffMin(),
                                timing.backoffMax(),
                                timing.recoveryBackoffMax()));
        return new LinkConnection(
                1,
                new AtomicLong(),
                options,
                notices,
                new LinkMeters(new SimpleMeterRegistry(), "127.0.0.1:1"));
    }

    static class NoNotices implements NoticeHandler {
        @Override
        public void event(long generation, SessionNotice.InstanceEvent event, int creditBytes) {}

        @Override
        public void fenced(SessionNotice.Fenced fenced) {}

        @Override
        public void ended(SessionNotice.Ended ended) {}

        @Override
        public void draining(SessionNotice.Draining draining) {}

        @Override
        public void heartbeat(RawJson heartbeat) {}
    }
}
