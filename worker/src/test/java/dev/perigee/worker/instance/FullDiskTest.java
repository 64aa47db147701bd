package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.PermanentlyFailed;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Servers of a worker whose disk others have filled. */
final class FullDiskTest {
    private static final String WHY = "Not started, the disk of all servers is nearly full";

    private final FullLauncher launcher = new FullLauncher();
    private final InstanceBench bench =
            new InstanceBench(Map.of(), InstantSource.system(), launcher);

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("TEN-08: have not failed: each call tries again, until there is room")
    void areNotGivenUp() {
        var config = InstanceBench.small("a");
        launcher.full = true;
        var outcome = bench.configure(config);
        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(outcome.error())
                .satisfies(
                        error -> {
                            assertThat(error.code()).isEqualTo("spawn_failed");
                            assertThat(error.message()).isEqualTo(WHY);
                        });

        callsFail(config);
        assertThat(bench.journal(config).all(Crashed.class)).isEmpty();
        assertThat(bench.snapshot(config).crashCount()).isZero();

        launcher.full = false;
        assertThat(bench.call(config, "pid", Map.of()).outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("TEN-08: one that crashes then is started by the next call once there is room")
    void crashedMeanwhile() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        launcher.full = true;
        bench.call(config, "crash", Map.of("code", 1));
        await().until(() -> bench.snapshot(config).status() == ServerStatus.ERROR);

        callsFail(config);
        var journal = bench.journal(config);
        assertThat(journal.all(Crashed.class)).hasSize(1);
        assertThat(journal.all(PermanentlyFailed.class)).isEmpty();

        launcher.full = false;
        assertThat(bench.call(config, "pid", Map.of()).outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("TEN-08: nor has a package whose installation was not started")
    void packages() {
        var line = List.of("-y", "@probe/never-installed");
        var config = InstanceBench.program("a", TransportType.STDIO, "npx", line, Map.of(), null);
        launcher.full = true;
        assertThat(bench.configure(config).error())
                .satisfies(error -> assertThat(error.message()).isEqualTo(WHY));

        callsFail(config);
        assertThat(bench.snapshot(config).crashCount()).isZero();
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);
    }

    /** More often than a server may crash. */
    private void callsFail(ServerConfig config) {
        for (int i = 0; i < 4; i++) {
            assertThat(bench.call(config, "pid", Map.of()).error())
                    .satisfies(error -> assertThat(error.message()).contains(WHY));
        }
    }

    private static final class FullLauncher implements ProcessLauncher {
        private final ProcessLauncher real = ProcessLaunchers.create(LauncherOptions.defaults());
        private volatile boolean full;

        @Override
        public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
            if (full) {
                throw new LaunchException(LaunchException.Reason.DISK_RESERVE, WHY);
            }
            return real.launch(spec, listener);
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
