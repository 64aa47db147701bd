package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Started;
import dev.perigee.protocol.event.EventBody.Stopped;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Simple;
import dev.perigee.protocol.topic.RecordOrigin;
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
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Ends that come while a start is under way, and those that come too late. */
final class LateSpawnTest {
    private final HeldLauncher launcher = new HeldLauncher();
    private final InstanceBench bench =
            new InstanceBench(Map.of(), InstantSource.system(), launcher);
    private final ServerConfig config = InstanceBench.server("a");

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("RES-15 of a start that is removed the late spawn is killed, the id usable again")
    void removesWhatIsBeingSpawned() {
        launcher.mayLaunch = new CountDownLatch(1);
        var installed = bench.submit(config, Cause.CREATED);
        launcher.awaitLaunch();
        var removed = bench.instances.remove(bench.order(config.processId()));
        var again = bench.submit(config, Cause.CREATED);
        launcher.mayLaunch.countDown();

        assertThat(bench.settle(removed).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(InstanceBench.alive(launcher.pids.getFirst())).isFalse();
        assertThat(bench.settle(again).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.settle(installed).details()).isNotNull();
        assertThat(launcher.pids).hasSize(2);
        assertThat(bench.pid(config)).isEqualTo(launcher.pids.getLast());
        assertThat(bench.journal(config).all(Started.class)).hasSize(1);
    }

    @Test
    @DisplayName(
            "RES-15 a stop of a start that is under way, and an old one that hits nothing newer")
    void stopsOnlyWhatItNames() {
        launcher.mayLaunch = new CountDownLatch(1);
        bench.submit(config, Cause.CREATED);
        launcher.awaitLaunch();
        var stopped = bench.instances.stop(bench.order(config.processId()));
        launcher.mayLaunch.countDown();
        bench.settle(stopped);
        assertThat(InstanceBench.alive(launcher.pids.getFirst())).isFalse();
        assertThat(bench.journal(config).all(Started.class)).isEmpty();

        assertThat(bench.apply(config, Cause.SPAWN).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        var origin = new RecordOrigin("mcp.commands", 1, 1);
        var old = new Simple(1, origin, "cmd-old", config.processId(), 1, null);
        for (var late : List.of(bench.instances.stop(old), bench.instances.remove(old))) {
            assertThat(bench.settle(late).details())
                    .satisfies(details -> assertThat(details.note()).isEqualTo("superseded"));
        }
        assertThat(bench.pid(config)).isEqualTo(launcher.pids.getLast());
    }

    @Test
    @DisplayName("RES-15, RES-11: a hole in an older process's output does not end the newer one")
    void missesOutputOfTheProcessItNames() {
        bench.configure(config);
        bench.settle(bench.instances.restart(bench.order(config.processId())));
        long first = launcher.pids.getFirst();
        long second = launcher.pids.getLast();
        var valve = Objects.requireNonNull(bench.journal(config).valve);

        valve.missed(first);
        assertThat(bench.pid(config)).isEqualTo(second);
        assertThat(bench.journal(config).all(Stopped.class)).isEmpty();

        valve.missed(second);
        await().until(() -> bench.snapshot(config).status() == ServerStatus.ERROR);
        assertThat(InstanceBench.alive(second)).isFalse();
        assertThat(bench.journal(config).all(Stopped.class))
                .containsExactly(new Stopped("output_gap"));
        assertThat(bench.pid(config)).as("a call starts it again").isNotEqualTo(second);
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
    }

    /** A launcher whose spawns take as long as a test likes, whatever is interrupted. */
    private static final class HeldLauncher implements ProcessLauncher {
        final List<Long> pids = new CopyOnWriteArrayList<>();
        volatile CountDownLatch mayLaunch = new CountDownLatch(0);
        private final CountDownLatch launching = new CountDownLatch(1);
        private final ProcessLauncher real = ProcessLaunchers.create(LauncherOptions.defaults());

        void awaitLaunch() {
            await().until(() -> launching.getCount() == 0);
        }

        @Override
        public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
            launching.countDown();
            awaitPermission();
            var child = real.launch(spec, listener);
            if (listener instanceof ProcessRun) { // Homes are deleted by processes, too.
                pids.add(child.pid());
            }
            return child;
        }

        private void awaitPermission() {
            boolean interrupted = false;
            while (true) {
                try {
                    mayLaunch.await();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
