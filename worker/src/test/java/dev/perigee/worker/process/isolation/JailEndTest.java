package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.faults.Signals;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.LeftoverSweeper;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.ProcessOwner;
import dev.perigee.worker.process.ProcessSignal;
import dev.perigee.worker.process.RecordingListener;
import dev.perigee.worker.process.Termination.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How jailed programs are ended, and that none lives on. */
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailEndTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(700);

    private final JailKind kind;

    @TempDir private Path caches;

    JailEndTest(JailKind kind) {
        this.kind = kind;
    }

    @Nested
    @DisplayName("A jailed program that is ended")
    final class Terminated {

        @Test
        @DisplayName("PRO-49: hears SIGTERM and may use the grace")
        void hears() throws Exception {
            try (var jails = Jails.open(caches, kind.with(Map.of()))) {
                var deed =
                        jails.shell(
                                "trap 'sleep 0.3; echo saved; exit 5' TERM; echo up;"
                                        + " while :; do sleep 0.05; done");
                deed.heard().awaitStdout("up");
                assertThat(jails.termination.terminate(deed.process(), LONG))
                        .isEqualTo(Result.GRACEFUL);
                assertThat(deed.told()).contains("saved");
                assertThat(deed.heard().awaitExit()).isEqualTo(ExitStatus.exited(5));
            }
        }

        @Test
        @DisplayName("dies of SIGTERM when it has no handler, also while its jail is being made")
        void dies() throws Exception {
            try (var jails = Jails.open(caches, kind.with(Map.of()))) {
                var ready = jails.shell("echo up; exec sleep 600");
                ready.heard().awaitStdout("up");
                assertThat(jails.termination.terminate(ready.process(), LONG))
                        .isEqualTo(Result.GRACEFUL);
                assertThat(ready.heard().awaitExit()).isEqualTo(ExitStatus.killedBy("SIGTERM"));
                var early = jails.shell("exec sleep 600");
                assertThat(jails.termination.terminate(early.process(), LONG))
                        .isEqualTo(Result.GRACEFUL);
                assertThat(early.heard().awaitExit()).isEqualTo(ExitStatus.killedBy("SIGTERM"));
            }
        }

        @Test
        @DisplayName("PRO-51, PRO-52: is killed with all it started, after the grace")
        void killed() throws Exception {
            try (var jails = Jails.open(caches, kind.with(Map.of()))) {
                var deed = jails.shell("trap '' TERM; echo up; while :; do sleep 0.05; done");
                var survivor = jails.attempt("survive");
                deed.heard().awaitStdout("up");
                survivor.heard().awaitStdout("survivor up");
                var began = System.nanoTime();
                assertThat(jails.termination.terminate(deed.process(), SHORT))
                        .isEqualTo(Result.FORCED);
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isGreaterThanOrEqualTo(SHORT);
                jails.termination.terminate(survivor.process(), SHORT);
                Jails.awaitNone(jails.token);
            }
        }

        @Test
        @DisplayName("PRO-52: is dead with all it started when its jail is killed")
        void jailKilled() throws Exception {
            try (var jails = Jails.open(caches, kind.with(Map.of()))) {
                var survivor = jails.attempt("survive");
                survivor.heard().awaitStdout("survivor up");
                survivor.process().signal(ProcessSignal.KILL);
                assertThat(survivor.heard().awaitExit()).isEqualTo(ExitStatus.killedBy("SIGKILL"));
                Jails.awaitNone(jails.token);
            }
        }
    }

    @Test
    @DisplayName("a jailed program that poses as a watchdog does not keep a worker from starting")
    void forgedWatchdog() throws Exception {
        var victim = new ProcessOwner("victim-" + UUID.randomUUID(), "first");
        try (var jails = Jails.open(caches, kind.with(Map.of()))) {
            var forger =
                    jails.shell(
                            "exec env PERIGEE_WATCHDOG=%s:other bash -c 'echo up; sleep 600' %s"
                                    .formatted(victim.workerId(), jails.token));
            forger.heard().awaitStdout("up");
            new LeftoverSweeper().requireAlone(victim);
            forger.process().signal(ProcessSignal.KILL);
        }
    }

    @Test
    @DisplayName(
            "PRO-52: a jailed program that bears another's mark neither delays its end nor shares it")
    void forgedMark() throws Exception {
        try (var jails = Jails.open(caches, kind.with(Map.of()))) {
            var victim = jails.shell("echo up; exec sleep 600");
            var forger =
                    jails.shell(
                            "exec env %s=%s bash -c \"trap '' TERM; echo up; while :; do sleep 0.05; done\" %s"
                                    .formatted(
                                            ProcessOwner.VARIABLE,
                                            victim.process().tree().marker(),
                                            jails.token));
            victim.heard().awaitStdout("up");
            forger.heard().awaitStdout("up");
            assertThat(jails.termination.terminate(victim.process(), Duration.ofSeconds(10)))
                    .isEqualTo(Result.GRACEFUL);
            assertThat(forger.process().awaitExit(Duration.ZERO)).isFalse();
            assertThat(jails.termination.terminate(forger.process(), SHORT))
                    .isEqualTo(Result.FORCED);
        }
    }

    @ParameterizedTest(name = "SIG{0}")
    @ValueSource(strings = {"KILL", "STOP"})
    @DisplayName("PRO-115: no jailed program outlives a worker that is killed or frozen")
    void workerDies(String signal) throws Exception {
        Jails.open(caches, kind.with(Map.of())).close();
        var token = "token-" + UUID.randomUUID();
        var heard = new RecordingListener();
        try (var launcher = ProcessLaunchers.create(LauncherOptions.defaults())) {
            var worker = launcher.launch(worker(token), heard);
            try {
                heard.awaitStdout("survivor up");
                assertThat(inJail(token)).isNotEmpty();
                Signals.send(worker.pid(), signal);
                await().atMost(RecordingListener.PATIENCE).until(() -> inJail(token).isEmpty());
            } finally {
                end(worker, heard);
            }
        }
    }

    private static List<Long> inJail(String token) {
        return Jails.carrying(token).stream()
                .filter(pid -> !Jails.arguments(pid).contains(JailedWorker.class.getName()))
                .toList();
    }

    private static void end(ChildProcess worker, RecordingListener heard) {
        worker.signal(ProcessSignal.KILL);
        heard.awaitExit();
    }

    private LaunchSpec worker(String token) {
        return new LaunchSpec(
                List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        JailedWorker.class.getName(),
                        caches.toString(),
                        token,
                        kind.name()),
                System.getenv(),
                null);
    }
}
