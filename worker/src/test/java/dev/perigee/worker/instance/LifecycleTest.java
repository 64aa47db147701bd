package dev.perigee.worker.instance;

import static dev.perigee.worker.instance.InstanceState.FAILED;
import static dev.perigee.worker.instance.InstanceState.RUNNING;
import static dev.perigee.worker.instance.InstanceState.STARTING;
import static dev.perigee.worker.instance.InstanceState.TERMINATED;
import static dev.perigee.worker.instance.InstanceState.TERMINATING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.PermanentlyFailed;
import dev.perigee.protocol.event.EventBody.Restarted;
import dev.perigee.protocol.event.EventBody.Stopped;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the start of a process to its end, and what is remembered of it. */
final class LifecycleTest {
    /** Who ignores SIGTERM is ending for as long as a test looks at that, and then kills it. */
    private final InstanceBench bench =
            new InstanceBench(Map.of("process.termination-grace", "60s"));

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("PRO-47, PRO-48: each state can be seen, and requests need a running process")
    void showsEachState() {
        var config = InstanceBench.server("a", "--slow-init", "3000", "--on-term", "ignore");
        var installed = bench.submit(config, Cause.CREATED);
        awaitState(config, STARTING);
        bench.settle(installed);
        assertThat(bench.snapshot(config).state()).isEqualTo(RUNNING);
        long pid = Objects.requireNonNull(bench.snapshot(config).pid());

        var stopped = bench.instances.stop(bench.order(config.processId()));
        awaitState(config, TERMINATING);
        var refused = bench.call(config, "pid", Map.of()).error();
        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(ErrorCode.STOPPED);
        kill(pid);
        bench.settle(stopped);
        assertThat(bench.snapshot(config).state()).isEqualTo(TERMINATED);

        var broken = InstanceBench.server("b", "--die", "as ordered");
        bench.configure(broken);
        assertThat(bench.snapshot(broken).state()).isEqualTo(FAILED);
    }

    @Test
    @DisplayName("PRO-47: a call to a process that is being replaced goes to the next one")
    void waitsForTheNextProcess() {
        var config = InstanceBench.server("a", "--on-term", "ignore");
        bench.configure(config);
        long pid = Objects.requireNonNull(bench.snapshot(config).pid());

        var restarted = bench.instances.restart(bench.order(config.processId()));
        awaitState(config, TERMINATING);
        var order = bench.request(config, "tools/call", "slug-a:pid", Map.of());
        assertThat(bench.instances.execute(order).answered()).isNull();
        kill(pid);

        assertThat(bench.result(order).outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(bench.pid(config)).isNotEqualTo(pid);
        assertThat(bench.settle(restarted).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        bench.instances.terminateAll(Duration.ofSeconds(2)); // The next one ignores SIGTERM, too.
    }

    private static void kill(long pid) {
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }

    @Test
    @DisplayName("PRO-55: a manual restart of a server that exits with 143 is no crash")
    void restartIsNoCrash() {
        var config = InstanceBench.server("a", "--on-term", "143");
        bench.configure(config);
        long pid = bench.pid(config);

        bench.settle(bench.instances.restart(bench.order(config.processId())));
        bench.settle(bench.instances.stop(bench.order(config.processId())));

        assertThat(InstanceBench.alive(pid)).isFalse();
        var journal = bench.journal(config);
        assertThat(journal.all(Restarted.class)).hasSize(1);
        assertThat(journal.all(Stopped.class)).hasSize(1);
        assertThat(journal.all(Crashed.class)).isEmpty();
        assertThat(bench.snapshot(config).crashCount()).isZero();
    }

    @Test
    @DisplayName("PRO-53, PRO-54: a kill answers what runs, once, and nothing starts it again")
    void killIsFinal(@TempDir Path directory) {
        var starts = directory.resolve("starts");
        var config = counted("a", starts, "--on-term", "143");
        bench.configure(config);
        var order = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 60_000));
        bench.instances.execute(order);
        await().until(() -> bench.snapshot(config).activeRequests() == 1);

        bench.settle(bench.instances.stop(bench.order(config.processId())));

        assertThat(bench.result(order).outcome()).isEqualTo(ToolOutcome.FAILED);
        // The delays before a restart are a tenth of that here.
        await().during(Duration.ofMillis(600))
                .until(() -> bench.snapshot(config).state() == TERMINATED && count(starts) == 1);
        assertThat(bench.apply(config, Cause.SPAWN).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        var journal = bench.journal(config);
        assertThat(journal.all(Crashed.class)).isEmpty();
        assertThat(journal.results)
                .filteredOn(result -> result.requestId().equals(order.request().requestId()))
                .hasSize(1);
    }

    @Test
    @Tag("long")
    @DisplayName("PRO-30: a start of 25 s is accepted by the default timeout")
    void acceptsASlowStart() {
        try (var usual = new InstanceBench(Map.of("mcp.handshake-timeout", "30s"))) {
            var config = InstanceBench.server("a", "--slow-init", "25000");
            assertThat(usual.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
            assertThat(usual.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
        }
    }

    @Test
    @DisplayName("PRO-30: a start of five sixths of the timeout is accepted")
    void acceptsASlowStartInScale() {
        try (var quick = new InstanceBench(Map.of("mcp.handshake-timeout", "15s"))) {
            var config = InstanceBench.server("a", "--slow-init", "12500");
            assertThat(quick.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        }
    }

    @Test
    @DisplayName("PRO-67: an uninstallation clears the crash history")
    void forgetsCrashesWithTheInstallation() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        crash(config, 1);
        crash(config, 2);
        bench.settle(bench.instances.remove(bench.order(config.processId())));

        bench.configure(config);
        crash(config, 1);
        crash(config, 2);

        var crashes = bench.journal(config).all(Crashed.class);
        assertThat(crashes).extracting(Crashed::crashCount).containsExactly(1, 2);
        assertThat(crashes).extracting(Crashed::willRestart).containsOnly(true);
    }

    private void crash(ServerConfig config, int count) {
        bench.call(config, "crash", Map.of("code", 1));
        var journal = bench.journal(config);
        await().until(() -> journal.all(Restarted.class).size() == count);
        await().until(() -> bench.snapshot(config).status() == ServerStatus.ONLINE);
    }

    @Test
    @DisplayName("REC-39: crashes before the window count no more")
    void forgetsOldCrashes() {
        var ahead = new AtomicReference<>(Duration.ZERO);
        var awake = Map.of("idle.timeout", "0");
        try (var quick = new InstanceBench(awake, () -> Instant.now().plus(ahead.get()))) {
            var config = InstanceBench.server("a");
            quick.configure(config);
            for (int crash = 1; crash <= 3; crash++) {
                if (crash == 3) {
                    ahead.set(Duration.ofMinutes(6)); // The window is over.
                }
                kill(Objects.requireNonNull(quick.snapshot(config).pid()));
                int count = crash;
                var journal = quick.journal(config);
                await().until(() -> journal.all(Restarted.class).size() == count);
                await().until(() -> quick.snapshot(config).status() == ServerStatus.ONLINE);
            }

            var crashes = quick.journal(config).all(Crashed.class);
            assertThat(crashes).extracting(Crashed::crashCount).containsExactly(1, 2, 1);
            assertThat(crashes).extracting(Crashed::willRestart).containsOnly(true);
        }
    }

    @Test
    @DisplayName("PRO-79, PRO-84: what ran for long restarts at once, whatever the delays are")
    void restartsAtOnceAfterALongRun() {
        var settings = Map.of("restart.delays", "10m", "restart.immediate-after", "1s");
        try (var patient = new InstanceBench(settings)) {
            var config = InstanceBench.server("a");
            patient.configure(config);
            await().during(Duration.ofMillis(1100))
                    .until(() -> patient.snapshot(config).state() == RUNNING);

            patient.call(config, "crash", Map.of("code", 1));

            var journal = patient.journal(config);
            await().until(() -> !journal.all(Restarted.class).isEmpty());
            var crashed = journal.all(Crashed.class).getFirst();
            assertThat(crashed.restartDelayMs()).isZero();
            assertThat(crashed.uptimeSeconds()).isBetween(1.0, 60.0);
        }
    }

    @Test
    @Tag("long")
    @DisplayName("PRO-81, PRO-82, PRO-83: the default pauses before restarts are kept: 1, 5, 15 s")
    void pauses(@TempDir Path directory) {
        var pauses = RestartPolicy.defaults().delays();
        var delays = pauses.stream().map(each -> each.toMillis() + "ms").toList();
        var settings =
                Map.of("restart.delays", String.join(",", delays), "restart.max-crashes", "4");
        try (var usual = new InstanceBench(settings)) {
            var starts = directory.resolve("starts");
            var config = counted("a", starts);
            usual.configure(config);
            for (var pause : pauses) {
                long before = count(starts);
                long begin = System.nanoTime();
                usual.call(config, "crash", Map.of("code", 1));
                await().atMost(Duration.ofSeconds(40))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> count(starts) > before);
                var lasted = Duration.ofNanos(System.nanoTime() - begin);

                assertThat(lasted).isGreaterThanOrEqualTo(pause);
                await().atMost(InstanceBench.PATIENCE)
                        .until(() -> usual.snapshot(config).status() == ServerStatus.ONLINE);
            }
            assertThat(usual.journal(config).all(Crashed.class))
                    .extracting(Crashed::restartDelayMs)
                    .containsExactly(1_000L, 5_000L, 15_000L);
        }
    }

    @Test
    @DisplayName("PRO-69: an uninstallation during backoff leaves no restart to come")
    void cancelsTheRestart(@TempDir Path directory) {
        try (var slow = new InstanceBench(Map.of("restart.delays", "4s"))) {
            var starts = directory.resolve("starts");
            var config = counted("a", starts);
            slow.configure(config);
            slow.call(config, "crash", Map.of("code", 1));
            await().until(() -> slow.snapshot(config).state() == FAILED);

            slow.settle(slow.instances.remove(slow.order(config.processId())));

            await().during(Duration.ofMillis(4300)).until(() -> count(starts) == 1);
        }
    }

    @Test
    @DisplayName(
            "PRO-85, PRO-106: nothing starts what failed permanently, also when its crashes are old")
    void endsRestartLoops(@TempDir Path directory) {
        var ahead = new AtomicReference<>(Duration.ZERO);
        try (var quick = new InstanceBench(Map.of(), () -> Instant.now().plus(ahead.get()))) {
            var starts = directory.resolve("starts");
            var config = counted("a", starts);
            quick.configure(config);
            for (int i = 1; i <= 3; i++) {
                await().until(() -> quick.snapshot(config).status() == ServerStatus.ONLINE);
                quick.call(config, "crash", Map.of("code", 1));
                int crashes = i;
                await().until(() -> quick.journal(config).all(Crashed.class).size() == crashes);
            }
            await().until(() -> quick.snapshot(config).permanentlyFailed());
            assertThat(quick.journal(config).all(PermanentlyFailed.class)).hasSize(1);

            ahead.set(Duration.ofMinutes(6)); // The window is over.
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> refusedForGood(quick, config) && count(starts) == 3);
            assertThat(quick.instances.describe())
                    .extracting(InstanceSnapshot::permanentlyFailed)
                    .containsExactly(true);
        }
    }

    private static boolean refusedForGood(InstanceBench bench, ServerConfig config) {
        var error = bench.call(config, "pid", Map.of()).error();
        return error != null && error.code() == ErrorCode.PERMANENTLY_FAILED;
    }

    @Test
    @DisplayName("PRO-89: messages, errors, active requests, last activity and uptime are counted")
    void counts() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var installed = bench.snapshot(config);
        for (int i = 0; i < 5; i++) {
            bench.call(config, "echo", Map.of("message", "x"));
        }
        var called = bench.snapshot(config);
        assertThat(called.messageCount()).isEqualTo(installed.messageCount() + 5);
        assertThat(called.errorCount()).isZero();
        assertThat(called.lastActivityAt()).isAfter(installed.lastActivityAt());
        assertThat(called.startedAt()).isEqualTo(installed.startedAt());

        bench.call(config, "sleep", Map.of("ms", 60_000), Duration.ofSeconds(3));
        // Its result leaves before it is counted and closed.
        await().until(() -> bench.snapshot(config).errorCount() == 1);
        await().until(() -> bench.snapshot(config).activeRequests() == 0);

        var order = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 60_000));
        bench.instances.execute(order);
        assertThat(bench.snapshot(config).activeRequests()).isEqualTo(1);
        bench.settle(bench.instances.stop(bench.order(config.processId())));
        bench.result(order);
        await().until(() -> bench.snapshot(config).activeRequests() == 0);
        assertThat(bench.snapshot(config).startedAt()).isNull();
    }

    /** The test server behind a shell that notes each start. */
    private static ServerConfig counted(String id, Path starts, String... flags) {
        var server = InstanceBench.server(id, flags);
        var script = "echo >> " + starts + "; exec node \"$0\" \"$@\"";
        var args = Stream.concat(Stream.of("-c", script), server.args().stream()).toList();
        return InstanceBench.program(id, server.transportType(), "sh", args, Map.of(), null);
    }

    private static long count(Path starts) {
        try (var lines = Files.lines(starts)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitState(ServerConfig config, InstanceState state) {
        await().pollInterval(Duration.ofMillis(10))
                .until(
                        () -> {
                            var snapshot = bench.instances.describe(config.processId());
                            return snapshot != null && snapshot.state() == state;
                        });
    }
}
