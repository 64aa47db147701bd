package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.OFFLINE;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.Dormant;
import dev.perigee.protocol.event.EventBody.Exited;
import dev.perigee.protocol.event.EventBody.Respawned;
import dev.perigee.protocol.event.EventBody.Restarted;
import dev.perigee.protocol.event.EventBody.Stopped;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.RememberedStatus;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.mcp.HttpFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that nobody uses. */
final class IdleTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** Idle by the bench's clock only: whatever a test takes for its steps, nothing sleeps. */
    private static final Map<String, String> QUICK =
            Map.of(
                    "idle.timeout",
                    TIMEOUT.toMinutes() + "m",
                    "idle.check-interval",
                    "50ms",
                    "idle.grace",
                    "0s");

    /** What the bench's clock is put forward. */
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    private final InstanceBench bench = bench(QUICK);

    private InstanceBench bench(Map<String, String> settings) {
        return new InstanceBench(settings, () -> Instant.now().plus(ahead.get()));
    }

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName(
            "PRO-56, PRO-60, PRO-62: an idle process is ended, which is no crash even by code 143; the"
                    + " next call respawns it as it was")
    void goesDormantAndComesBack() {
        var config = InstanceBench.server("a", Map.of("KEPT", "this"), "--on-term", "143");
        bench.configure(config);
        long pid = bench.pid(config);
        var lastActivity = Objects.requireNonNull(bench.snapshot(config).lastActivityAt());
        var journal = bench.journal(config);

        awaitDormant(config);

        assertThat(InstanceBench.alive(pid)).isFalse();
        assertThat(journal.all(Dormant.class)).hasSize(1);
        var dormant = journal.all(Dormant.class).getFirst();
        assertThat(dormant.lastActivityAt()).isEqualTo(lastActivity);
        assertThat(dormant.idleDurationSeconds()).isBetween(180.0, 480.0);
        assertThat(journal.events)
                .doesNotHaveAnyElementsOfTypes(
                        Crashed.class, Exited.class, Stopped.class, Restarted.class);
        assertThat(journal.statuses()).hasSize(5).endsWith(ONLINE);
        var shown = bench.snapshot(config);
        assertThat(shown.status()).isEqualTo(ONLINE);
        assertThat(shown.state()).isEqualTo(InstanceState.TERMINATED);
        assertThat(shown.crashCount()).isZero();
        assertThat(shown.pid()).isNull();
        var list = bench.perform(bench.request(config, "tools/list", null, null)).result();
        assertThat(list).isNotNull();
        assertThat(list.text()).contains("slug-a:echo");

        assertThat(bench.pid(config)).isNotEqualTo(pid);

        assertThat(journal.all(Respawned.class)).hasSize(1);
        var respawned = journal.all(Respawned.class).getFirst();
        assertThat(respawned.dormantDurationSeconds()).isBetween(0.0, 60.0);
        assertThat(respawned.respawnDurationMs()).isBetween(1L, 60_000L);
        assertThat(bench.text(config, "env", Map.of("name", "KEPT"))).isEqualTo("this");
        assertThat(bench.text(config, "args", Map.of())).contains("--on-term", "143");
        assertThat(bench.text(config, "record", Map.of())).doesNotContain("tools/list");
        assertThat(journal.all(ToolsDiscovered.class)).hasSize(1);
        assertThat(journal.statuses()).hasSize(5);

        awaitDormant(config); // As often as need be.
    }

    @Test
    @DisplayName("PRO-57: not within the grace after its spawn")
    void isGivenTheGrace() {
        var grace = Duration.ofHours(1);
        try (var patient =
                bench(
                        Map.of(
                                "idle.timeout", "10ms",
                                "idle.check-interval", "10ms",
                                "idle.grace", grace.toHours() + "h"))) {
            var config = InstanceBench.small("a");
            patient.configure(config);
            ahead.set(grace.dividedBy(2));
            await().during(Duration.ofMillis(500))
                    .until(() -> patient.snapshot(config).state() == InstanceState.RUNNING);

            ahead.set(grace);

            await().until(() -> patient.snapshot(config).dormant());
        }
    }

    @Test
    @DisplayName("PRO-58: not while a call is in flight, however long it lasts")
    void sparesActiveRequests() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = bench.pid(config);

        var path = config.serverSlug() + ":sleep";
        var order = bench.request(config, "tools/call", path, Map.of("ms", 1000));
        bench.instances.execute(order);
        ahead.set(TIMEOUT.multipliedBy(2));
        var result = bench.result(order);

        assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(bench.journal(config).all(Dormant.class)).isEmpty();
        assertThat(bench.pid(config)).isEqualTo(pid);
    }

    @Test
    @DisplayName("PRO-59: a timeout of 0 switches it off")
    void canBeSwitchedOff() {
        var off = Map.of("idle.timeout", "0", "idle.check-interval", "10ms", "idle.grace", "0s");
        try (var awake = new InstanceBench(off)) {
            var config = InstanceBench.small("a");
            awake.configure(config);
            await().during(Duration.ofMillis(500))
                    .until(() -> awake.snapshot(config).state() == InstanceState.RUNNING);
        }
    }

    @Test
    @DisplayName("PRO-59: a server over HTTP is never dormant")
    void sparesServersElsewhere() throws Exception {
        try (var h = HttpFixture.start()) {
            var elsewhere =
                    ServerConfigBuilder.elsewhere(
                                    "h",
                                    "slug-h",
                                    new Owner("t1", "acme", InstanceBench.USER, "alice"),
                                    TransportType.HTTP,
                                    h.url())
                            .build();
            bench.configure(elsewhere);
            var server = InstanceBench.small("s");
            bench.configure(server);

            awaitDormant(server);
            bench.pid(server);
            awaitDormant(server);
            assertThat(bench.journal(server).all(Dormant.class)).hasSize(2);

            assertThat(bench.snapshot(elsewhere).dormant()).isFalse();
            assertThat(bench.journal(elsewhere).all(Dormant.class)).isEmpty();
            h.order("{'reset':true}");
            assertThat(bench.text(elsewhere, "echo", Map.of("message", "x"))).isEqualTo("x");
            assertThat(h.count("initialize")).isZero();
        }
    }

    @Test
    @DisplayName("a program without MCP is never idle: no call could start it again")
    void sparesProgramsWithoutMcp() {
        var program =
                InstanceBench.program(
                        "p", TransportType.COMMAND, "sleep", List.of("60"), Map.of(), null);
        bench.configure(program);
        var server = InstanceBench.small("s");
        bench.configure(server);

        awaitDormant(server);
        bench.pid(server);
        awaitDormant(server);
        assertThat(bench.journal(server).all(Dormant.class)).hasSize(2);

        assertThat(bench.snapshot(program).state()).isEqualTo(InstanceState.RUNNING);
        assertThat(bench.journal(program).all(Dormant.class)).isEmpty();
    }

    @Test
    @DisplayName("PRO-63: a respawn that fails is the calls' error; the instance stays dormant")
    void staysDormantWhenARespawnFails(@TempDir Path directory) throws Exception {
        var broken = directory.resolve("broken");
        var config = InstanceBench.server("a", "--die-if-file", broken.toString());
        bench.configure(config);
        awaitDormant(config);
        Files.createFile(broken);

        for (int i = 0; i < 4; i++) { // More than the crash budget has.
            var failed = bench.call(config, "pid", Map.of()).error();
            assertThat(failed).isNotNull();
            assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(failed.message()).contains("could not be started", "code 9");
            assertThat(bench.snapshot(config).dormant()).isTrue();
        }

        Files.delete(broken);
        bench.pid(config);
        var journal = bench.journal(config);
        assertThat(journal.all(Crashed.class)).isEmpty();
        assertThat(journal.all(Respawned.class)).hasSize(1);
        assertThat(journal.statuses()).hasSize(5).endsWith(ONLINE);
    }

    @Test
    @DisplayName("PRO-64, PRO-66: a dormant instance is removed as completely as another")
    void isRemovedWhileDormant() {
        var config = InstanceBench.small("a");
        bench.configure(config);
        awaitDormant(config);

        var outcome = bench.settle(bench.instances.remove(bench.order(config.processId())));

        assertThat(outcome.details()).isEqualTo(CommandDetails.removed(false, true));
        assertThat(bench.journal(config).removed).isTrue();
        await().until(() -> bench.instances.describe().isEmpty());
        var refused = bench.call(config, "pid", Map.of()).error();
        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(ErrorCode.UNKNOWN_SERVER);
    }

    @Test
    @DisplayName("PRO-54, PRO-64: a dormant instance that is killed is not respawned by calls")
    void isStoppedWhileDormant() {
        var config = InstanceBench.small("a");
        bench.configure(config);
        awaitDormant(config);

        bench.settle(bench.instances.stop(bench.order(config.processId())));

        assertThat(bench.snapshot(config).dormant()).isFalse();
        assertThat(bench.snapshot(config).status()).isEqualTo(OFFLINE);
        var refused = bench.call(config, "pid", Map.of()).error();
        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(ErrorCode.STOPPED);
    }

    @Test
    @DisplayName("PRO-64: restart, update and spawn start a dormant instance at once")
    void isStartedWhileDormant() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var journal = bench.journal(config);

        awaitDormant(config);
        bench.settle(bench.instances.restart(bench.order(config.processId())));
        assertThat(journal.statuses()).hasSize(9).endsWith(ONLINE);

        awaitDormant(config);
        var changed = InstanceBench.server("a", "--changed");
        assertThat(bench.apply(changed, Cause.UPDATED).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);
        assertThat(journal.statuses()).hasSize(13).endsWith(ONLINE);
        assertThat(bench.text(changed, "args", Map.of())).contains("--changed");

        awaitDormant(config);
        int respawns = journal.all(Respawned.class).size();
        assertThat(bench.apply(changed, Cause.SPAWN).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        await().until(() -> journal.all(Respawned.class).size() > respawns);
        assertThat(journal.statuses()).hasSize(13);
    }

    @Test
    @DisplayName("a call that comes while an idle process is slow to end is answered by the next")
    void waitsForASlowEnd(@TempDir Path directory) {
        var settings = new HashMap<>(QUICK);
        settings.put("process.termination-grace", "60s");
        settings.put("tool.transition-wait", "8s");
        try (var slow = bench(settings)) {
            var config = slowToEndAtFirst(directory.resolve("started"));
            slow.configure(config);
            long pid = slow.pid(config);
            ahead.set(TIMEOUT);
            await().until(() -> slow.snapshot(config).state() == InstanceState.TERMINATING);

            assertThat(slow.pid(config)).isNotEqualTo(pid);
            assertThat(slow.journal(config).all(Crashed.class)).isEmpty();
        }
    }

    /** The first of its processes ignores SIGTERM, the next one starts quickly. */
    private static ServerConfig slowToEndAtFirst(Path started) {
        var script =
                "mkdir \"$0\" 2>/dev/null && exec node \"$1\" --on-term ignore; exec sh \"$2\"";
        return InstanceBench.program(
                "a",
                TransportType.STDIO,
                "sh",
                List.of(
                        "-c",
                        script,
                        started.toString(),
                        InstanceBench.server("a").args().getFirst(),
                        InstanceBench.small("a").args().getFirst()),
                Map.of(),
                null);
    }

    private void awaitDormant(ServerConfig config) {
        ahead.updateAndGet(TIMEOUT::plus);
        await().until(() -> bench.snapshot(config).dormant());
    }

    @Test
    @DisplayName("a dormant instance that another worker takes over sleeps on, and is listed")
    void sleepsOnAtANewOwner() {
        var config = InstanceBench.small("a");
        bench.configure(config);
        awaitDormant(config);
        var durable = bench.journal(config).durable;

        try (var next = bench(QUICK)) {
            next.settle(next.submit(config, Cause.RESTORED, false, durable));

            var list = next.perform(next.request(config, "tools/list", null, null)).result();
            assertThat(list).isNotNull();
            assertThat(list.text()).contains("slug-a:pid");
            assertThat(next.snapshot(config).dormant()).isTrue();
            assertThat(next.journal(config).statuses()).isEmpty();

            next.pid(config);
            assertThat(next.journal(config).all(Respawned.class)).hasSize(1);
            assertThat(next.journal(config).statuses()).isEmpty();
        }
    }

    @Test
    @DisplayName("the same when a gateway has told that it is not online: it is again")
    void isOnlineAgainAfterALoss() {
        var config = InstanceBench.small("a");
        bench.configure(config);
        awaitDormant(config);
        var lost = lost(bench.journal(config).durable);

        try (var next = bench(QUICK)) {
            next.settle(next.submit(config, Cause.RESTORED, false, lost));

            assertThat(next.snapshot(config).dormant()).isTrue();
            assertThat(next.journal(config).statuses()).containsExactly(ONLINE);
        }
    }

    @Test
    @DisplayName("what was woken, or has another configuration, is started by a new owner")
    void startsWhatDoesNotSleep() {
        var config = InstanceBench.small("a");
        bench.configure(config);
        awaitDormant(config);
        var asleep = bench.journal(config).durable;
        bench.pid(config);
        var awake = bench.journal(config).durable;

        try (var next = bench(QUICK)) {
            next.settle(next.submit(config, Cause.RESTORED, false, awake));
            assertThat(next.journal(config).statuses())
                    .containsExactly(CONNECTING, DISCOVERING_TOOLS, ONLINE);
        }
        try (var next = bench(QUICK)) {
            var other = InstanceBench.server("a");
            next.settle(next.submit(other, Cause.RESTORED, false, asleep));
            assertThat(next.journal(other).statuses())
                    .containsExactly(CONNECTING, DISCOVERING_TOOLS, ONLINE);
        }
    }

    private static RawJson lost(@Nullable RawJson durable) {
        return new RememberedStatus(CONNECTING, "Its worker was lost")
                .in(Objects.requireNonNull(durable));
    }
}
