package dev.perigee.worker.session;

import static dev.perigee.worker.session.WholeWorker.alive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.worker.instance.InstanceSettings;
import dev.perigee.worker.instance.LocalInstanceHost;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.NoIsolation;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Deadlines of sessions with a real process, by a clock that the test moves; no timer runs. */
final class RetentionTest {
    private static final Duration RETENTION = LinkServerFixture.OPTIONS.retention();

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-11-21T10:00:00Z"));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    private final LocalInstanceHost instances =
            new LocalInstanceHost(
                    InstanceSettings.read(InstanceSettings.SCHEMA.read(Map.of())),
                    launcher,
                    new Termination(),
                    new NoIsolation(System.getenv(), Path.of("target", "caches")),
                    Clock.systemUTC());
    private final SessionRegistry sessions =
            new SessionRegistry(
                    "w-1", LinkServerFixture.OPTIONS, instances, meters, now::get, now::get);
    private final LinkServer server =
            LinkServer.start(
                    LinkServerFixture.link(
                            "127.0.0.1:0", LinkServerFixture.TOKEN, Duration.ofDays(1)),
                    new WorkerIdentity("w-1", "i-1"),
                    sessions,
                    LinkServerFixture::heartbeat,
                    Duration.ofMinutes(1),
                    meters);

    RetentionTest() throws IOException {}

    @AfterEach
    void stop() throws InterruptedException {
        sessions.shutDown();
        server.close();
        instances.close();
        launcher.close();
    }

    @Test
    @DisplayName(
            "RES-05 after the deadline a session is expired though no timer ran, its child dead")
    void theDeadlineDecides() throws Exception {
        long pid = detached();
        pass(RETENTION);
        try (var gateway = gateway()) {
            gateway.attachLater(5, 2, true, List.of());
            assertThat(gateway.failure().code()).isEqualTo(LinkError.SESSION_EXPIRED.code());
            assertThat(alive(pid)).isFalse();
        }
    }

    @Test
    @DisplayName("RES-07 the deadline of an earlier detach does not end the session of a later one")
    void anOldDeadlineIsForgotten() throws Exception {
        long pid = detached();
        pass(RETENTION.minusMillis(1));
        try (var gateway = gateway()) {
            assertThat(gateway.attach(5, 2, false).resumed()).isTrue();
        }
        await().until(() -> attached() == 0);
        pass(RETENTION.minusMillis(1));
        try (var gateway = gateway()) {
            assertThat(gateway.attach(5, 3, false).resumed()).isTrue();
            assertThat(alive(pid)).isTrue();
        }
    }

    @Test
    @DisplayName("RES-06 a late detach starts no timer")
    void aLateDetachStartsNoTimer() throws Exception {
        try (var old = gateway();
                var young = gateway()) {
            old.attach(5, 1, true);
            young.attach(5, 2, false);
            var detach = new Attach.Detach(Orders.PARTITION, 5, false);
            old.ask(LinkMethod.DETACH, detach, RawJson.class);
            pass(RETENTION.multipliedBy(2));
            assertThat(young.attach(6, 3, false).resumed()).isTrue();
        }
    }

    @Test
    @DisplayName("OWN-01 a gateway that stays connected and does not hear from its group loses it")
    void theLeaseDecides() throws Exception {
        try (var gateway = gateway()) {
            gateway.attachFor(5, 1, true, clock() + 75_000);
            long pid = started(gateway);
            pass(Duration.ofSeconds(40));
            gateway.ask(
                    LinkMethod.LEASE,
                    new Lease.Request(
                            List.of(
                                    new Lease.Held(Orders.PARTITION, 5, clock() + 35_000),
                                    new Lease.Held(Orders.PARTITION, 4, clock() + 999_000))),
                    Lease.Result.class);
            pass(RETENTION.plusSeconds(35).minusMillis(1));
            assertThat(lease(gateway).clockMs()).isEqualTo(clock());
            assertThat(alive(pid)).isTrue();

            pass(Duration.ofMillis(1));
            var _ = lease(gateway);
            await().until(() -> !alive(pid));
            gateway.attachLater(5, 2, false, List.of());
            assertThat(gateway.failure().code()).isEqualTo(LinkError.SESSION_EXPIRED.code());
        }
    }

    @Test
    @DisplayName("OWN-01 a claim whose lease is over creates no session")
    void aStaleClaimCreatesNothing() throws Exception {
        try (var gateway = gateway()) {
            gateway.attachLaterFor(5, 1, true, clock());
            assertThat(gateway.failure().code()).isEqualTo(LinkError.SESSION_EXPIRED.code());
        }
    }

    private long clock() {
        return now.get().toEpochMilli();
    }

    /** Of an epoch that is not attached: it says the time and looks at the deadline. */
    private static Lease.Result lease(RawGateway gateway) throws InterruptedException {
        return gateway.ask(
                LinkMethod.LEASE,
                new Lease.Request(List.of(new Lease.Held(Orders.PARTITION, 1, 0))),
                Lease.Result.class);
    }

    /** A session with a process, whose gateway is gone; the process's id. */
    private long detached() throws InterruptedException {
        long pid;
        try (var gateway = gateway()) {
            gateway.attach(5, 1, true);
            pid = started(gateway);
        }
        await().until(() -> attached() == 0);
        assertThat(alive(pid)).isTrue();
        return pid;
    }

    private static long started(RawGateway gateway) throws InterruptedException {
        var program = WholeWorker.program("c", "exec sleep 600");
        var order = WholeWorker.apply(program, 1L, 10);
        gateway.ask(LinkMethod.APPLY, order, InstanceOrder.Outcome.class);
        var event = gateway.event();
        while (!WholeWorker.is(event, EventType.STARTED)) {
            event = gateway.event();
        }
        return WholeWorker.data(event).path("pid").asLong();
    }

    private RawGateway gateway() throws InterruptedException {
        return RawGateway.greeted("g-1", server.uri(), LinkServerFixture.TOKEN);
    }

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    private double attached() {
        return meters.get("perigee.worker.sessions").tag("attached", "true").gauge().value();
    }
}
