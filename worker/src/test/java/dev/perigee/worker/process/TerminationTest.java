package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Gatherers;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends real trees and looks at what is left. */
final class TerminationTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(500);

    private final ProcessLauncher launcher =
            NativeProcessLauncher.start(LauncherOptions.defaults());
    private final ProcessOwner owner =
            new ProcessOwner("termination-test-" + UUID.randomUUID(), "first");
    private final Termination termination = new Termination();
    private final RecordingListener heard = new RecordingListener();

    @AfterEach
    void nothingIsLeft() {
        launcher.close();
        assertThat(Processes.marked(owner)).isEmpty();
    }

    private ChildProcess start(String script) throws LaunchException {
        var environment = Map.of("PATH", "/usr/bin:/bin", ProcessOwner.VARIABLE, owner.marker(1));
        return launcher.launch(
                new LaunchSpec(List.of("bash", "-c", script), environment, Path.of("/")), heard);
    }

    @Test
    @DisplayName("PRO-49 PRO-50 a cooperative child gets SIGTERM and is gone long before the grace")
    void asksFirst() throws Exception {
        var child =
                start("trap 'echo got TERM; exit 0' TERM; echo up; while :; do sleep 0.05; done");
        heard.awaitStdout("up");
        var began = System.nanoTime();
        assertThat(termination.terminate(child, LONG)).isEqualTo(Termination.Result.GRACEFUL);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.dividedBy(3));
        heard.awaitClosed();
        assertThat(heard.stdout()).contains("got TERM");
        assertThat(heard.exit()).isEqualTo(ExitStatus.exited(0));
    }

    @Test
    @DisplayName("PRO-51 a child that ignores SIGTERM and the end of its input is killed")
    void killsAfterTheGrace() throws Exception {
        var child = start("trap '' TERM; echo up; while :; do sleep 0.05; done");
        heard.awaitStdout("up");
        var began = System.nanoTime();
        assertThat(termination.terminate(child, SHORT)).isEqualTo(Termination.Result.FORCED);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(SHORT, LONG);
        assertThat(heard.awaitExit()).isEqualTo(ExitStatus.killedBy("SIGKILL"));
    }

    @ParameterizedTest
    @DisplayName("PRO-52 the whole tree is gone, however it is built")
    @ValueSource(
            strings = {
                // A wrapper whose grandchild does the work.
                "sh -c 'sleep 600; true' & echo up; wait",
                // The child is gone at once, a stubborn grandchild stays.
                "(trap '' TERM; echo up; while :; do sleep 1; done) & trap 'exit 0' TERM; wait",
                // A grandchild with a session of its own whose parent stays.
                "setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 1; done' & wait",
                // One with a session of its own whose parent is gone: only the mark is left.
                "(setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 1; done' &) ; sleep 600"
            })
    void leavesNoGrandchild(String script) throws Exception {
        var child = start(script);
        heard.awaitStdout("up");
        termination.terminate(child, SHORT);
        assertThat(heard.awaitExit()).isNotNull();
        assertThat(Processes.marked(owner)).isEmpty();
    }

    @Test
    void aGrandchildMayUseTheGraceThatItsWrapperDoesNotNeed() throws Exception {
        var child =
                start(
                        "(trap 'sleep 0.3; echo saved; exit 0' TERM; echo up; while :; do sleep"
                                + " 0.05; done) & trap 'exit 0' TERM; wait");
        heard.awaitStdout("up");
        assertThat(termination.terminate(child, LONG)).isEqualTo(Termination.Result.GRACEFUL);
        heard.awaitClosed();
        assertThat(heard.stdout()).contains("saved");
    }

    @Test
    @DisplayName("a process that forks while it is killed does not get away")
    void killsAForkingTree() throws Exception {
        var child =
                start(
                        "trap '' TERM; f() { sleep 0.02; (trap '' TERM; f) & exit; }; echo up; f &"
                                + " wait; sleep 600");
        heard.awaitStdout("up");
        termination.terminate(child, Duration.ofMillis(100));
        assertThat(Processes.marked(owner)).isEmpty();
    }

    @Test
    @DisplayName("a process is found by its mark also while it executes another program")
    void seesWhoIsExecuting(@TempDir Path directory) throws Exception {
        var program = Files.writeString(directory.resolve("again"), "#!/bin/sh\nexec \"$0\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        var child = start("echo up; exec '" + program + "'");
        heard.awaitStdout("up");
        for (var look = 0; look < 200; look++) {
            assertThat(new ProcessReader().read())
                    .as("look %d", look)
                    .filteredOn(entry -> entry.pid() == child.pid())
                    .extracting(ProcessEntry::owner)
                    .containsExactly(owner.marker(1));
        }
        assertThat(termination.terminate(child, SHORT)).isNotNull();
    }

    @Test
    void endsManyAtOnce() throws Exception {
        var count = 60;
        var environment = Map.of("PATH", "/usr/bin:/bin");
        var children =
                IntStream.range(0, count)
                        .boxed()
                        .gather(
                                Gatherers.mapConcurrent(
                                        4,
                                        number -> {
                                            try {
                                                return launcher.launch(
                                                        new LaunchSpec(
                                                                List.of("cat"), environment, null),
                                                        new RecordingListener());
                                            } catch (LaunchException e) {
                                                throw new IllegalStateException(e);
                                            }
                                        }))
                        .toList();
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var endings =
                    children.stream()
                            .map(
                                    child ->
                                            (Callable<Termination.Result>)
                                                    () -> termination.terminate(child, LONG))
                            .toList();
            for (var ending : tasks.invokeAll(endings)) {
                assertThat(ending.get()).isEqualTo(Termination.Result.GRACEFUL);
            }
        }
    }
}
