package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.Limit;
import dev.perigee.worker.process.LimitEnd;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is said of a process that a limit ended. */
final class LimitCrashTest {

    @Test
    @DisplayName("OPS-19, TEN-08: the crash names the limit, and the status message what was used")
    void namesTheLimit() {
        var launcher =
                new Limited(
                        ProcessLaunchers.create(LauncherOptions.defaults()),
                        end -> end.by(new LimitEnd(Limit.OOM, "its processes used 620 MiB")));
        var settings = Map.of("restart.delays", "1h");
        try (var bench = new InstanceBench(settings, InstantSource.system(), launcher)) {
            var config = InstanceBench.server("a");
            bench.configure(config);

            bench.call(config, "crash", Map.of("signal", "SIGKILL"));

            var journal = bench.journal(config);
            await().until(() -> !journal.all(Crashed.class).isEmpty());
            var crashed = journal.all(Crashed.class).getFirst();
            assertThat(crashed.limit()).isEqualTo("oom");
            assertThat(crashed.willRestart()).isTrue();
            await().until(() -> bench.snapshot(config).statusMessage() != null);
            assertThat(bench.snapshot(config).statusMessage())
                    .contains("ended by a limit: its processes used 620 MiB");
        }
    }

    @Test
    @DisplayName(
            "TEN-08: who is killed for want of memory that others took is not given up, waits"
                    + " longer each time, and the status says why")
    void isStarved() {
        var launcher =
                new Limited(
                        ProcessLaunchers.create(LauncherOptions.defaults()),
                        ExitStatus::byStarvation);
        var settings =
                Map.of(
                        "restart.delays", "1ms,1h",
                        "restart.window", "1h",
                        "restart.max-crashes", "2");
        try (var bench = new InstanceBench(settings, InstantSource.system(), launcher)) {
            var config = InstanceBench.server("a");
            bench.configure(config);
            var journal = bench.journal(config);

            bench.call(config, "crash", Map.of("signal", "SIGKILL"));
            await().until(() -> journal.all(Crashed.class).size() == 1);
            await().until(() -> bench.snapshot(config).status() == ServerStatus.ONLINE);
            bench.call(config, "crash", Map.of("signal", "SIGKILL"));
            await().until(() -> journal.all(Crashed.class).size() == 2);

            var crashes = journal.all(Crashed.class);
            assertThat(crashes).extracting(Crashed::willRestart).containsExactly(true, true);
            assertThat(crashes).extracting(Crashed::crashCount).containsExactly(0, 0);
            assertThat(crashes).extracting(Crashed::limit).containsOnlyNulls();
            assertThat(crashes).extracting(Crashed::restartDelayMs).containsExactly(1L, 3_600_000L);
            await().until(() -> bench.snapshot(config).statusMessage() != null);
            assertThat(bench.snapshot(config).statusMessage())
                    .startsWith("Restart in 60 minutes: ")
                    .contains("the machine ran out of memory");
            assertThat(bench.snapshot(config).permanentlyFailed()).isFalse();
        }
    }

    @Test
    @DisplayName("TEN-08: who is so again and again is not exempt for ever")
    void isCountedInTheEnd() {
        var launcher =
                new Limited(
                        ProcessLaunchers.create(LauncherOptions.defaults()),
                        ExitStatus::byStarvation);
        var settings =
                Map.of(
                        "restart.delays", "1ms,1ms,1ms,1ms,1ms,1ms,1h",
                        "restart.window", "1h",
                        "restart.max-crashes", "1");
        try (var bench = new InstanceBench(settings, InstantSource.system(), launcher)) {
            var config = InstanceBench.server("a");
            bench.configure(config);

            crash(bench, config, CrashKeeper.EXEMPT + 1);

            assertThat(bench.journal(config).all(Crashed.class).getLast().willRestart()).isFalse();
            await().until(() -> bench.snapshot(config).permanentlyFailed());
        }
    }

    @Test
    @DisplayName("TEN-08: a crash of its own ends the row, and with it the longer waits")
    void endsTheRow() {
        var ends = new AtomicInteger();
        var launcher =
                new Limited(
                        ProcessLaunchers.create(LauncherOptions.defaults()),
                        end -> ends.incrementAndGet() == 2 ? end : end.byStarvation());
        var settings = Map.of("restart.delays", "1ms,1h", "restart.window", "1h");
        try (var bench = new InstanceBench(settings, InstantSource.system(), launcher)) {
            var config = InstanceBench.server("a");
            bench.configure(config);

            crash(bench, config, 3);

            assertThat(bench.journal(config).all(Crashed.class))
                    .extracting(Crashed::restartDelayMs)
                    .containsExactly(1L, 1L, 1L);
        }
    }

    /** So many times, each once it is back. */
    private static void crash(InstanceBench bench, ServerConfig config, int times) {
        var journal = bench.journal(config);
        for (int number = 1; number <= times; number++) {
            int crashes = number;
            await().until(() -> bench.snapshot(config).status() == ServerStatus.ONLINE);
            bench.call(config, "crash", Map.of("signal", "SIGKILL"));
            await().until(() -> journal.all(Crashed.class).size() == crashes);
        }
    }

    /** Gives a cause to the end of whatever is killed. */
    private record Limited(ProcessLauncher launcher, UnaryOperator<ExitStatus> cause)
            implements ProcessLauncher {
        @Override
        public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
            return launcher.launch(spec, new Listener(listener, cause));
        }

        @Override
        public void close() {
            launcher.close();
        }
    }

    private record Listener(ChildListener listener, UnaryOperator<ExitStatus> cause)
            implements ChildListener {
        @Override
        public void onStdout(ByteBuffer bytes) {
            listener.onStdout(bytes);
        }

        @Override
        public void onStderr(ByteBuffer bytes) {
            listener.onStderr(bytes);
        }

        @Override
        public void onExit(ExitStatus status) {
            listener.onExit("SIGKILL".equals(status.signal()) ? cause.apply(status) : status);
        }

        @Override
        public void onClosed() {
            listener.onClosed();
        }
    }
}
