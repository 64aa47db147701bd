package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.PERMANENTLY_FAILED;
import static dev.perigee.protocol.event.ServerStatus.RESTARTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.Restarted;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that end by themselves. */
final class CrashTest {
    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName(
            "OPS-19, REC-40, REC-42, REC-47, STA-07, PRO-76, PRO-79, PRO-80: two crashes restart, the third is final")
    void crashesThreeTimes() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var journal = bench.journal(config);
        long first = bench.pid(config);

        for (int crash = 1; crash <= 3; crash++) {
            var waiting = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 60_000));
            bench.send(config, waiting);
            var failed = bench.call(config, "crash", Map.of("code", 3));
            assertThat(failed.error()).isNotNull();
            assertThat(failed.error().code()).isEqualTo(ErrorCode.CRASHED);
            var released = bench.result(waiting);
            assertThat(released.error()).isNotNull();
            assertThat(released.error().code()).isEqualTo(ErrorCode.CRASHED);
            int count = crash;
            await().until(() -> journal.all(Crashed.class).size() == count);
            if (crash < 3) {
                await().until(() -> journal.all(Restarted.class).size() == count);
                await().until(() -> bench.snapshot(config).status() == ONLINE);
            }
        }

        var crashes = journal.all(Crashed.class);
        assertThat(crashes).extracting(Crashed::exitCode).containsExactly(3, 3, 3);
        assertThat(crashes).extracting(Crashed::crashCount).containsExactly(1, 2, 3);
        assertThat(crashes).extracting(Crashed::willRestart).containsExactly(true, true, false);
        assertThat(crashes).extracting(Crashed::restartDelayMs).containsExactly(20L, 40L, null);
        var restarts = journal.all(Restarted.class);
        assertThat(restarts).extracting(Restarted::attemptNumber).containsExactly(1, 2);
        assertThat(restarts.getFirst().oldPid()).isEqualTo(first);
        assertThat(restarts.getFirst().newPid()).isEqualTo(restarts.getLast().oldPid());
        await().until(() -> bench.snapshot(config).permanentlyFailed());
        var terminal = journal.all(EventBody.PermanentlyFailed.class);
        assertThat(terminal).hasSize(1);
        assertThat(terminal.getFirst().message()).isEqualTo("Process crashed 3 times in 5 minutes");
        assertThat(bench.snapshot(config).statusMessage())
                .isEqualTo(
                        "Process crashed 3 times in 5 minutes, at last: process exited with code 3."
                                + " Manual restart required.");
        assertThat(journal.all(StatusChanged.class).getLast().serverVersion()).isEqualTo("1");
        assertThat(journal.statuses().subList(5, journal.statuses().size()))
                .containsExactly(
                        CONNECTING,
                        DISCOVERING_TOOLS,
                        ONLINE,
                        CONNECTING,
                        DISCOVERING_TOOLS,
                        ONLINE,
                        PERMANENTLY_FAILED);
        var refused = bench.call(config, "echo", Map.of("message", "x"));
        assertThat(refused.error()).isNotNull();
        assertThat(refused.error().code()).isEqualTo(ErrorCode.PERMANENTLY_FAILED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 143})
    @DisplayName("PRO-76, PRO-79: a code that nobody asked for is a crash, whatever it is")
    void codeIsCrash(int code) {
        var config = InstanceBench.server("a");
        long begin = System.nanoTime();
        bench.configure(config);

        bench.call(config, "crash", Map.of("code", code));

        var journal = bench.journal(config);
        await().until(() -> !journal.all(Restarted.class).isEmpty());
        var lasted = Duration.ofNanos(System.nanoTime() - begin);
        var crashed = journal.all(Crashed.class).getFirst();
        assertThat(crashed.exitCode()).isEqualTo(code);
        assertThat(crashed.signal()).isNull();
        assertThat(crashed.uptimeSeconds()).isPositive().isLessThan(lasted.toMillis() / 1000.0);
        assertThat(crashed.crashCount()).isEqualTo(1);
        assertThat(crashed.willRestart()).isTrue();
    }

    @Test
    @DisplayName("REC-45: a manual restart revives what failed for good, with a full budget")
    void revives() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var journal = bench.journal(config);
        crashForGood(config);
        await().until(() -> bench.snapshot(config).permanentlyFailed());

        var order = bench.order(config.processId());
        assertThat(bench.settle(bench.instances.restart(order)).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);
        assertThat(journal.statuses()).endsWith(RESTARTING, CONNECTING, DISCOVERING_TOOLS, ONLINE);
        crashForGood(config);

        var crashes = journal.all(Crashed.class);
        assertThat(crashes).extracting(Crashed::crashCount).containsExactly(1, 2, 3, 1, 2, 3);
        assertThat(crashes)
                .extracting(Crashed::willRestart)
                .containsExactly(true, true, false, true, true, false);
    }

    /** As often as the budget allows, and once more. */
    private void crashForGood(ServerConfig config) {
        var journal = bench.journal(config);
        for (int crash = 1; crash <= 3; crash++) {
            int crashes = journal.all(Crashed.class).size();
            int restarts = journal.all(Restarted.class).size();
            bench.call(config, "crash", Map.of("code", 1));
            await().until(() -> journal.all(Crashed.class).size() > crashes);
            if (crash < 3) {
                await().until(() -> journal.all(Restarted.class).size() > restarts);
                await().until(() -> bench.snapshot(config).status() == ONLINE);
            }
        }
    }

    @Test
    @DisplayName("PRO-99: what is said before a crash, or before the end, waits for no batch")
    void tellsLastWordsAtOnce() {
        try (var slow = new InstanceBench(Map.of("logs.batch-interval", "10m"))) {
            var config = InstanceBench.server("a");
            slow.configure(config);
            var journal = slow.journal(config);

            slow.call(config, "stderr", Map.of("text", "before the crash\n"));
            slow.call(config, "crash", Map.of("code", 1));
            await().until(() -> journal.lines().contains("before the crash"));

            await().until(() -> !journal.all(Restarted.class).isEmpty());
            slow.call(config, "stderr", Map.of("text", "before the end\n"));
            assertThat(journal.lines()).doesNotContain("before the end");
            slow.instances.terminateAll(Duration.ofSeconds(10));
            await().until(() -> journal.lines().contains("before the end"));
        }
    }

    @Test
    @DisplayName("REC-40: a call that comes between a crash and its being known is served")
    void servesWhatComesMeanwhile() {
        var config = InstanceBench.server("a");
        var other = InstanceBench.server("b");
        bench.configure(config);
        bench.configure(other);
        var told = new CountDownLatch(1);
        bench.journal(config).crashTold = told;
        assertThat(bench.call(config, "crash", Map.of("code", 3)).error()).isNotNull();

        var echo = bench.request(config, "tools/call", "slug-a:echo", Map.of("message", "x"));
        assertThat(bench.instances.execute(echo).answered()).isNull();
        bench.text(other, "echo", Map.of("message", "the call above had time to be sent"));
        assertThat(bench.journal(config).result(echo.request().requestId())).isNull();
        told.countDown();

        var result = bench.result(echo);
        assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(result.attempts()).isEqualTo(1);
    }

    @Test
    @DisplayName("PRO-77: a signal that nobody asked for is a crash")
    void signalIsCrash() {
        var config = InstanceBench.server("a");
        bench.configure(config);

        bench.call(config, "crash", Map.of("signal", "SIGKILL"));

        var journal = bench.journal(config);
        await().until(() -> !journal.all(Crashed.class).isEmpty());
        assertThat(journal.all(Crashed.class).getFirst().signal()).isEqualTo("SIGKILL");
        assertThat(journal.all(Crashed.class).getFirst().exitCode()).isNull();
    }

    @Test
    @DisplayName("PRO-55: a manual restart tells which process replaced which")
    void manualRestartIsNoCrash() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = bench.pid(config);

        bench.settle(bench.instances.restart(bench.order(config.processId())));

        var journal = bench.journal(config);
        assertThat(journal.all(Crashed.class)).isEmpty();
        var restarted = journal.all(Restarted.class);
        assertThat(restarted).hasSize(1);
        assertThat(restarted.getFirst().oldPid()).isEqualTo(pid);
        assertThat(restarted.getFirst().newPid()).isEqualTo(bench.pid(config));
        assertThat(InstanceBench.alive(pid)).isFalse();
    }

    @Test
    @DisplayName(
            "PRO-61, PRO-62, PRO-78: an exit with 0 is no crash; the next calls respawn it once")
    void exitIsNoCrash() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        bench.call(config, "exit0", Map.of());
        var journal = bench.journal(config);
        await().until(() -> bench.snapshot(config).dormant());
        assertThat(journal.all(EventBody.Exited.class)).hasSize(1);
        assertThat(journal.all(Crashed.class)).isEmpty();

        var orders = new ArrayList<ToolOrder.Execute>();
        for (int i = 0; i < 20; i++) {
            var order = bench.request(config, "tools/call", "slug-a:pid", Map.of());
            bench.instances.execute(order);
            orders.add(order);
        }

        var answers = new HashSet<String>();
        for (var order : orders) {
            var result = bench.result(order).result();
            assertThat(result).isNotNull();
            answers.add(result.text());
        }
        assertThat(answers).hasSize(1);
        assertThat(journal.all(EventBody.Respawned.class)).hasSize(1);
        assertThat(journal.statuses()).hasSize(5).endsWith(ONLINE);
        assertThat(bench.text(config, "record", Map.of())).doesNotContain("tools/list");
    }

    @Test
    @DisplayName("REC-49: restarts that fail count, too")
    void failingRestartsCount(@TempDir Path directory) throws Exception {
        var script = directory.resolve("server.sh");
        var server = InstanceBench.server("a");
        Files.writeString(script, "#!/bin/sh\nexec node " + server.args().getFirst() + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        var config =
                InstanceBench.program(
                        "a", server.transportType(), script.toString(), List.of(), Map.of(), null);
        bench.configure(config);
        Files.writeString(script, "#!/bin/sh\necho broken >&2\nexit 7\n");

        bench.call(config, "crash", Map.of("code", 1));

        await().until(() -> bench.snapshot(config).permanentlyFailed());
        var crashes = bench.journal(config).all(Crashed.class);
        assertThat(crashes).extracting(Crashed::exitCode).containsExactly(1, 7, 7);
        assertThat(
                        bench.journal(config)
                                .all(EventBody.PermanentlyFailed.class)
                                .getFirst()
                                .lastError())
                .isEqualTo("process exited with code 7 during handshake; last stderr: broken");
    }

    @Test
    @DisplayName(
            "PRO-53, PRO-114: giving up ends processes and answers requests, and tells nothing else")
    void leaves() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = bench.pid(config);
        var journal = bench.journal(config);
        int events = journal.statuses().size();
        var order = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 60_000));
        bench.send(config, order);
        bench.call(config, "stderr", Map.of("text", "last words\n"));

        bench.instances.terminateAll(Duration.ofSeconds(10));

        assertThat(InstanceBench.alive(pid)).isFalse();
        var result = journal.result(order.request().requestId());
        assertThat(result).isNotNull();
        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        await().until(() -> journal.lines().contains("last words"));
        assertThat(journal.statuses()).hasSize(events);
        assertThat(journal.all(EventBody.Stopped.class)).isEmpty();
        var late = bench.call(config, "echo", Map.of());
        assertThat(late.error()).isNotNull();
        assertThat(late.error().code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    @DisplayName("an instance that is busy ending its process with a long grace dies at the limit")
    void killsWhoIsBusyAtTheLimit() {
        try (var slow = new InstanceBench(Map.of("process.termination-grace", "60s"))) {
            var stubborn =
                    InstanceBench.program(
                            "s",
                            TransportType.COMMAND,
                            "sh",
                            List.of("-c", "trap '' TERM; echo up; while :; do sleep 1; done"),
                            Map.of(),
                            null);
            slow.configure(stubborn);
            await().until(() -> slow.journal(stubborn).lines().contains("up"));
            var pid = Objects.requireNonNull(slow.snapshot(stubborn).pid());
            slow.instances.stop(slow.order(stubborn.processId()));
            await().until(() -> slow.snapshot(stubborn).state() == InstanceState.TERMINATING);
            slow.instances.terminateAll(Duration.ofSeconds(1));
            await().atMost(Duration.ofSeconds(30)).until(() -> !InstanceBench.alive(pid));
            await().until(() -> slow.instances.describe().isEmpty());
        }
    }
}
