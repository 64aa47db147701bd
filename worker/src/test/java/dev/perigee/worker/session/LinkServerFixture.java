package dev.perigee.worker.session;

import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.settings.HostPort;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A link server on a free port, over instances without processes. */
final class LinkServerFixture implements AutoCloseable {
    static final String TOKEN = "s3cret";
    static final SessionOptions OPTIONS =
            new SessionOptions(
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(3),
                    Duration.ofSeconds(3),
                    Duration.ofSeconds(3),
                    1 << 20,
                    50_000,
                    WhenFull.PAUSE,
                    64 << 10,
                    64L << 20,
                    Duration.ofMinutes(10),
                    1000,
                    1 << 20,
                    null,
                    new CallLimits(1000, 1000, RateLimit.NONE, null));

    final FakeInstances instances = new FakeInstances();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final SessionRegistry sessions;
    final LinkServer server;

    LinkServerFixture(SessionOptions options, Duration deadAfter) throws IOException {
        this(options, link("127.0.0.1:0", TOKEN, deadAfter));
    }

    LinkServerFixture(SessionOptions options, LinkServerOptions link) throws IOException {
        this.sessions = new SessionRegistry("w-1", options, instances, meters, Clock.systemUTC());
        sessions.start();
        this.server =
                LinkServer.start(
                        link,
                        new WorkerIdentity("w-1", "i-1"),
                        sessions,
                        LinkServerFixture::heartbeat,
                        Duration.ofMinutes(1),
                        meters);
    }

    static LinkServerOptions link(String listen, @Nullable String token, Duration deadAfter) {
        return link(listen, token, null, deadAfter);
    }

    static LinkServerOptions link(
            String listen, @Nullable String token, @Nullable TlsOptions tls, Duration deadAfter) {
        var address = HostPort.parse(listen);
        if (address == null) {
            throw new IllegalArgumentException(listen);
        }
        return new LinkServerOptions(
                address, token, tls, deadAfter.dividedBy(3), deadAfter, 100, 1 << 20);
    }

    static Heartbeat heartbeat() {
        return new Heartbeat(
                Heartbeat.EVENT,
                "w-1",
                "i-1",
                "running",
                "test",
                1,
                0,
                1,
                1,
                null,
                null,
                null,
                null,
                null,
                null,
                Map.of(),
                Map.of(),
                0,
                List.of(),
                "none",
                null,
                Instant.parse("2026-11-20T10:00:00Z"));
    }

    URI uri() {
        return server.uri();
    }

    RawGateway gateway(String id) throws InterruptedException {
        return RawGateway.greeted(id, uri(), TOKEN);
    }

    @Override
    public void close() {
        server.close();
    }
}
