package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Servers of a worker that was frozen until its watchdog killed them. */
final class LostLeaseTest {
    private final LosingLauncher launcher = new LosingLauncher();
    private final InstanceBench bench =
            new InstanceBench(Map.of("tool.transition-wait", "1s"), Clock.systemUTC(), launcher);
    private final ServerConfig config = InstanceBench.server("a");

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("have not crashed: nothing is told, counted or started")
    void haveNotCrashed() {
        bench.configure(config);
        var journal = bench.journal(config);
        var statuses = journal.statuses();
        var running = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 60_000));
        long pid = bench.pid(config);
        bench.instances.execute(running);

        launcher.lost = true;
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);

        assertThat(bench.result(running).outcome()).isEqualTo(ToolOutcome.FAILED);
        await().until(() -> bench.snapshot(config).state() == InstanceState.FAILED);
        var late = bench.call(config, "pid", Map.of());
        assertThat(late.outcome()).isEqualTo(ToolOutcome.FAILED);
        assertThat(journal.all(Crashed.class)).isEmpty();
        assertThat(journal.all(EventBody.PermanentlyFailed.class)).isEmpty();
        assertThat(journal.statuses()).isEqualTo(statuses);
        assertThat(bench.snapshot(config).crashCount()).isZero();
    }

    private static final class LosingLauncher implements ProcessLauncher {
        private final ProcessLauncher real = ProcessLaunchers.create(LauncherOptions.defaults());
        private volatile boolean lost;

        @Override
        public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
            if (lost) {
                throw new LaunchException(LaunchException.Reason.CLOSED, "nothing is started");
            }
            return real.launch(spec, listener);
        }

        @Override
        public boolean mayLaunch() {
            return !lost;
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
