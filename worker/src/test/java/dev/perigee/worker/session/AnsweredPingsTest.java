package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.settings.HostPort;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Connections that answer pings or do not; deadlines by a clock that the test moves. */
@DisplayName("OWN-01 A session lasts for its retention after the last ping that was answered")
final class AnsweredPingsTest {
    private static final Duration RETENTION = LinkServerFixture.OPTIONS.retention();
    private static final Duration DEAD_AFTER = Duration.ofSeconds(10);
    private static final Duration PING = Duration.ofMillis(100);

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-11-21T10:00:00Z"));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SessionRegistry sessions =
            new SessionRegistry(
                    "w-1",
                    LinkServerFixture.OPTIONS,
                    new FakeInstances(),
                    meters,
                    now::get,
                    now::get);
    private final LinkServer server =
            LinkServer.start(
                    new LinkServerOptions(
                            Objects.requireNonNull(HostPort.parse("127.0.0.1:0")),
                            LinkServerFixture.TOKEN,
                            null,
                            PING,
                            DEAD_AFTER,
                            100,
                            1 << 20),
                    new WorkerIdentity("w-1", "i-1"),
                    sessions,
                    LinkServerFixture::heartbeat,
                    Duration.ofMinutes(1),
                    meters);

    AnsweredPingsTest() throws IOException {}

    @AfterEach
    void stop() throws InterruptedException {
        sessions.shutDown();
        server.close();
    }

    @Test
    @DisplayName("though the connection is open and requests arrive on it")
    void endsUnanswered() {
        try (var deaf = RawGateway.deaf("g-1", server.uri(), LinkServerFixture.TOKEN)) {
            deaf.send(LinkMethod.HELLO, Hello.Request.of("g-1", LinkVersions.SPOKEN));
            deaf.attachLater(5, 1, true, List.of());
            await().until(() -> attached() == 1);

            pass(RETENTION.plus(DEAD_AFTER).dividedBy(2));
            look();
            assertThat(attached()).isEqualTo(1);

            pass(RETENTION.plus(DEAD_AFTER).dividedBy(2));
            look();
            assertThat(attached()).isZero();
            assertThat(connections()).as("connections").isEqualTo(1);
        }
    }

    @Test
    @DisplayName("and goes on while pings are answered, whatever else the gateway says")
    void goesOnAnswered() throws Exception {
        try (var gateway = RawGateway.greeted("g-1", server.uri(), LinkServerFixture.TOKEN)) {
            gateway.attach(5, 1, true);
            for (int i = 0; i < 6; i++) {
                pass(RETENTION.dividedBy(2));
                long before = gateway.pings.get();
                await().until(() -> gateway.pings.get() > before + 1);
                gateway.settle();
            }
            assertThat(gateway.attach(5, 2, false).resumed()).isTrue();
        }
    }

    /** No timer runs: what happens to any connection looks at deadlines. */
    private void look() {
        sessions.closed(SessionRun.claimant("g-2", 1, 1).peer());
    }

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    private double attached() {
        return meters.get("perigee.worker.sessions").tag("attached", "true").gauge().value();
    }

    private double connections() {
        return meters.get("perigee.worker.link.connections").gauge().value();
    }
}
