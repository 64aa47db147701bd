package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.limit.ByteBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every launcher promises, tried with real processes. */
final class LauncherContractTest {

    enum Kind {
        NATIVE {
            @Override
            ProcessLauncher open(LauncherOptions options) {
                return NativeProcessLauncher.start(options);
            }
        },
        PORTABLE {
            @Override
            ProcessLauncher open(LauncherOptions options) {
                return new PortableProcessLauncher(options);
            }
        };

        abstract ProcessLauncher open(LauncherOptions options);
    }

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");

    private final RecordingListener heard = new RecordingListener();

    @TempDir private Path directory;

    private static LaunchSpec shell(String script) {
        return new LaunchSpec(List.of("sh", "-c", script), ENVIRONMENT, null);
    }

    @Test
    @DisplayName("OPS-13: no argument becomes another where the locale cannot write it")
    void refusesWhatTheLocaleCannotWrite() throws Exception {
        var options = LauncherOptions.defaults();
        try (var launcher = new PortableProcessLauncher(options, StandardCharsets.US_ASCII)) {
            var spec = new LaunchSpec(List.of("echo", "t\u00e4"), ENVIRONMENT, null);
            assertThatThrownBy(() -> launcher.launch(spec, heard))
                    .isInstanceOf(LaunchException.class)
                    .hasMessageContaining("LANG=C.UTF-8")
                    .hasMessageNotContaining("t\u00e4");
        }
    }

    /** However busy the machine, all output is read within the grace. */
    private static ProcessLauncher open(Kind kind) {
        return open(kind, SOON);
    }

    /** Where the grace is waited for. */
    private static ProcessLauncher openBriefly(Kind kind) {
        return open(kind, Duration.ofSeconds(2));
    }

    private static ProcessLauncher open(Kind kind, Duration grace) {
        return kind.open(new LauncherOptions(grace, 1 << 17, 2, ByteBudget.of(64 << 20)));
    }

    private static byte[] line(String text) {
        return (text + '\n').getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource
    void carriesStreamsBothWaysAndReportsTheEndInOrder(Kind kind) throws Exception {
        try (var launcher = open(kind)) {
            var child = launcher.launch(shell("read a; echo out:$a; echo err:$a >&2"), heard);
            child.write(line("hé"), SOON);
            heard.awaitClosed();
            assertThat(heard.stdout()).isEqualTo("out:hé\n");
            assertThat(heard.stderr()).isEqualTo("err:hé\n");
            assertThat(heard.exit()).isEqualTo(ExitStatus.exited(0));
            assertThat(heard.calls()).endsWith("exit", "closed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesTheChildExactlyTheEnvironmentTheArgumentsAndTheDirectory(Kind kind) throws Exception {
        var environment = Map.of("PATH", "/usr/bin:/bin", "KEY", "a b=c\n$HOME");
        var command = List.of("sh", "-c", "env -0; pwd; printf '[%s]' \"$@\"", "sh", "$X", "a b");
        try (var launcher = open(kind)) {
            launcher.launch(new LaunchSpec(command, environment, directory), heard);
            heard.awaitClosed();
            assertThat(heard.stdout())
                    .contains("KEY=a b=c\n$HOME\0", "PATH=/usr/bin:/bin\0")
                    .doesNotContain("JAVA_HOME")
                    .endsWith(directory.toRealPath() + "\n[$X][a b]");
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an exit code and a death by signal are told apart")
    void tellsCodesFromSignals(Kind kind) throws Exception {
        try (var launcher = open(kind)) {
            assertThat(endOf(launcher, "exit 9")).isEqualTo(ExitStatus.exited(9));
            assertThat(endOf(launcher, "kill -KILL $$")).isEqualTo(ExitStatus.killedBy("SIGKILL"));
            assertThat(endOf(launcher, "kill -SEGV $$")).isEqualTo(ExitStatus.killedBy("SIGSEGV"));
            assertThat(endOf(launcher, "kill -PIPE $$")).isEqualTo(ExitStatus.killedBy("SIGPIPE"));
        }
    }

    @Test
    void theNativeLauncherAlsoTellsCode137FromSigkill() throws Exception {
        try (var launcher = open(Kind.NATIVE)) {
            assertThat(endOf(launcher, "exit 137")).isEqualTo(ExitStatus.exited(137));
        }
    }

    private static ExitStatus endOf(ProcessLauncher launcher, String script) throws Exception {
        var listener = new RecordingListener();
        launcher.launch(shell(script), listener);
        listener.awaitClosed();
        return listener.awaitExit();
    }

    @ParameterizedTest
    @EnumSource
    void reportsTheExitAtOnceAndTheCloseAfterTheGraceWhileAGrandchildHoldsTheStreams(Kind kind)
            throws Exception {
        try (var launcher = openBriefly(kind)) {
            var child = launcher.launch(shell("sleep 600 & echo $!; exit 3"), heard);
            assertThat(heard.awaitExit()).isEqualTo(ExitStatus.exited(3));
            var grandchild = ProcessHandle.of(Long.parseLong(heard.stdout().strip())).orElseThrow();
            assertThat(grandchild.isAlive()).isTrue();
            assertThatThrownBy(() -> child.write(line("late"), SOON))
                    .isInstanceOf(IOException.class);
            heard.awaitClosed();
            assertThat(heard.calls()).containsExactly("stdout", "exit", "closed");
            grandchild.destroyForcibly();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("PRO-112 a program that cannot be started says why and what to do")
    void refusesWhatCannotBeStarted(Kind kind) throws Exception {
        var plain = Files.writeString(directory.resolve("plain"), "text");
        var script = Files.writeString(directory.resolve("script"), "#!/no/such/interpreter\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (var launcher = open(kind)) {
            assertRefused(launcher, "no-such-program", LaunchException.Reason.PROGRAM_NOT_FOUND);
            assertRefused(launcher, "/no/such/program", LaunchException.Reason.PROGRAM_NOT_FOUND);
            assertRefused(launcher, plain.toString(), LaunchException.Reason.PERMISSION_DENIED);
            assertRefused(launcher, script.toString(), LaunchException.Reason.PROGRAM_NOT_FOUND);
            var lost = new LaunchSpec(List.of("true"), ENVIRONMENT, directory.resolve("gone"));
            assertThatThrownBy(() -> launcher.launch(lost, heard))
                    .hasMessageContaining("create it");
        }
        assertThat(heard.calls()).isEmpty();
    }

    private void assertRefused(
            ProcessLauncher launcher, String program, LaunchException.Reason reason) {
        var spec = new LaunchSpec(List.of(program), ENVIRONMENT, null);
        assertThatThrownBy(() -> launcher.launch(spec, heard))
                .isInstanceOfSatisfying(
                        LaunchException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(program);
    }

    @ParameterizedTest
    @EnumSource
    void keepsMessagesOfManyThreadsWholeWhateverTheirSize(Kind kind) throws Exception {
        var threads = 8;
        var messages = 40;
        try (var launcher = open(kind);
                var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            var child = launcher.launch(shell("cat"), heard);
            var tasks =
                    IntStream.range(0, threads)
                            .mapToObj(
                                    thread ->
                                            (Callable<Void>)
                                                    () -> {
                                                        for (var i = 0; i < messages; i++) {
                                                            var letter = (char) ('a' + thread);
                                                            var size = 1 + i * i * 20;
                                                            child.write(
                                                                    line(
                                                                            String.valueOf(letter)
                                                                                    .repeat(size)),
                                                                    SOON);
                                                        }
                                                        return null;
                                                    })
                            .toList();
            for (var done : writers.invokeAll(tasks)) {
                done.get();
            }
            child.closeStdin();
            heard.awaitClosed();
            var lines = heard.stdout().lines().toList();
            assertThat(lines).hasSize(threads * messages);
            assertThat(lines).allMatch(text -> text.chars().distinct().count() == 1);
            assertThat(heard.exit()).isEqualTo(ExitStatus.exited(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriterWaitsNoLongerThanItsDeadlineForAChildThatDoesNotRead(Kind kind) throws Exception {
        try (var launcher = open(kind)) {
            var child = launcher.launch(shell("exec sleep 60"), heard);
            var big = new byte[1 << 17];
            child.write(big, SOON);
            await().atMost(SOON)
                    .untilAsserted(
                            () ->
                                    assertThatThrownBy(
                                                    () -> child.write(big, Duration.ofMillis(50)))
                                            .isInstanceOf(IOException.class)
                                            .hasMessageContaining("did not read"));
            child.signal(ProcessSignal.KILL);
            heard.awaitExit();
            assertThatThrownBy(() -> child.write(big, SOON))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("ended");
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("PRO-45 a waiting writer learns at once that the child is gone")
    void releasesAWaitingWriterWhenTheChildDies(Kind kind) throws Exception {
        try (var launcher = open(kind);
                var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            var child = launcher.launch(shell("exec sleep 60"), heard);
            var big = new byte[1 << 18];
            var writing =
                    writers.submit(
                            () -> {
                                while (true) {
                                    child.write(big, Duration.ofMinutes(5));
                                }
                            });
            child.signal(ProcessSignal.KILL);
            assertThatThrownBy(() -> writing.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aChildThatClosedItsInputIsKnownAsSuchWhileItLives(Kind kind) throws Exception {
        try (var launcher = open(kind)) {
            var child = launcher.launch(shell("exec 0<&-; echo up; exec sleep 60"), heard);
            heard.awaitStdout("up");
            await().atMost(SOON)
                    .untilAsserted(
                            () ->
                                    assertThatThrownBy(() -> child.write(line("x"), SOON))
                                            .isInstanceOf(IOException.class));
            assertThat(heard.exit()).isNull();
            child.signal(ProcessSignal.KILL);
            heard.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPausedChildIsSlowedAndLosesNothing(Kind kind) throws Exception {
        var total = 1 << 20;
        try (var launcher = open(kind)) {
            var child =
                    launcher.launch(
                            shell("read go; head -c " + total + " /dev/zero; echo done >&2"),
                            heard);
            child.pauseOutput();
            child.write(line("go"), SOON);
            // The end on standard error would come if the output went anywhere.
            assertThatThrownBy(
                            () ->
                                    await().atMost(Duration.ofMillis(300))
                                            .until(() -> heard.stderr().contains("done")))
                    .isNotNull();
            assertThat(heard.stdoutBytes()).isZero();
            child.resumeOutput();
            heard.awaitClosed();
            assertThat(heard.stdoutBytes()).isEqualTo(total);
        }
    }

    @ParameterizedTest
    @EnumSource
    void outputThatWasPausedAtTheExitArrivesAfterTheResume(Kind kind) throws Exception {
        try (var launcher = openBriefly(kind)) {
            var child = launcher.launch(shell("read go; echo last"), heard);
            child.pauseOutput();
            child.write(line("go"), SOON);
            heard.awaitExit();
            assertThat(heard.closed()).isFalse();
            child.resumeOutput();
            heard.awaitClosed();
            assertThat(heard.stdout()).isEqualTo("last\n");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFailingListenerHarmsNobody(Kind kind) throws Exception {
        var failing =
                new ChildListener() {
                    @Override
                    public void onStdout(ByteBuffer bytes) {
                        throw new IllegalStateException("on purpose");
                    }

                    @Override
                    public void onStderr(ByteBuffer bytes) {}

                    @Override
                    public void onExit(ExitStatus status) {
                        throw new IllegalStateException("on purpose");
                    }

                    @Override
                    public void onClosed() {}
                };
        try (var launcher = open(kind)) {
            launcher.launch(shell("echo x"), failing);
            launcher.launch(shell("echo y"), heard);
            heard.awaitClosed();
            assertThat(heard.stdout()).isEqualTo("y\n");
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingStartsAfterTheClose(Kind kind) {
        var launcher = open(kind);
        launcher.close();
        assertThatThrownBy(() -> launcher.launch(shell("true"), heard))
                .isInstanceOf(LaunchException.class);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("nothing follows the close, whatever a grandchild still writes")
    void theCloseIsTheLastWord(Kind kind) throws Exception {
        try (var launcher = openBriefly(kind)) {
            launcher.launch(
                    shell("(while [ ! -e end ]; do echo late; sleep 0.02; done) & echo $!; exit 0"),
                    heard);
            heard.awaitClosed();
            var calls = heard.stdoutBytes();
            var grandchild =
                    heard.stdout()
                            .lines()
                            .filter(text -> !text.equals("late"))
                            .map(Long::valueOf)
                            .findFirst()
                            .orElseThrow();
            await().during(Duration.ofMillis(300)).until(() -> heard.stdoutBytes() == calls);
            ProcessHandle.of(grandchild).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
