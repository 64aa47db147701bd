package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.faults.Signals;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills and freezes real workers and looks at what is left of their children. */
final class WatchdogTest {

    private static final int THOUSANDS = 4_000;
    private static final long MORE_THAN_ANY_PID = 5_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final ProcessLauncher launcher =
            NativeProcessLauncher.start(LauncherOptions.defaults());
    private final ProcessOwner owner =
            new ProcessOwner("watchdog-test-" + UUID.randomUUID(), "first");
    private final RecordingListener heard = new RecordingListener();
    private final List<ChildProcess> workers = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        workers.forEach(worker -> worker.signal(ProcessSignal.KILL));
        await().atMost(PATIENCE).until(() -> Processes.marked(owner).isEmpty());
        launcher.close();
    }

    private ChildProcess startWorker(Duration retention, String... more) throws Exception {
        var arguments =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-Xmx64m",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                WatchedWorker.class.getName(),
                                owner.workerId(),
                                owner.incarnation(),
                                Long.toString(retention.toSeconds())));
        arguments.addAll(List.of(more));
        var worker =
                launcher.launch(
                        new LaunchSpec(arguments, Map.of("PATH", "/usr/bin:/bin"), null), heard);
        workers.add(worker);
        await().atMost(PATIENCE)
                .until(
                        () ->
                                heard.stdout().contains("up")
                                        && pidsAfter("child").size() == 2
                                        && pidsAfter("grandchild").size() == 2);
        return worker;
    }

    private List<Long> pidsAfter(String word) {
        return heard.stdout()
                .lines()
                .filter(line -> line.startsWith(word + ' '))
                .map(line -> Long.parseLong(line.substring(word.length() + 1)))
                .toList();
    }

    private void assertAllAlive() {
        assertThat(pidsAfter("child")).hasSize(2).allMatch(Processes::alive);
        assertThat(pidsAfter("grandchild")).hasSize(2).allMatch(Processes::alive);
    }

    private void awaitAllDead() {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            assertThat(pidsAfter("child")).noneMatch(Processes::alive);
                            assertThat(pidsAfter("grandchild")).noneMatch(Processes::alive);
                            assertThat(pidsAfter("watchdog")).noneMatch(Processes::alive);
                        });
        assertThat(Processes.marked(owner)).isEmpty();
    }

    @Test
    @DisplayName("PRO-115 nor does one that uses the portable launcher")
    void killedWorkerWithPortableLauncherLeavesNothing() throws Exception {
        var worker = startWorker(LONG, "portable");
        assertAllAlive();
        // Not to its group, which is the watchdog's too.
        Signals.send(worker.pid(), "KILL");
        awaitAllDead();
    }

    @Test
    @DisplayName("of two workers of one id that start at the same moment one is told of the other")
    void oneIdIsOneWorkers() throws Exception {
        var twin = new ProcessOwner(owner.workerId(), "second");
        var sweeper = new LeftoverSweeper();
        try (var first = Watchdog.start(owner, LONG, launcher, () -> {})) {
            sweeper.requireAlone(owner);
            try (var second = Watchdog.start(twin, LONG, launcher, () -> {})) {
                assertThat(second.held()).isTrue();
                assertThatThrownBy(() -> sweeper.requireAlone(twin))
                        .hasMessageContaining("pid [" + first.pid() + "]")
                        .hasMessageContaining("another id");
            }
            sweeper.requireAlone(owner);
        }
    }

    @Test
    @DisplayName("a second worker of one id says once that it waits, for whom, and what to do")
    void saysThatItWaits() throws Exception {
        var twin = new ProcessOwner(owner.workerId(), "second");
        var sweeper = new LeftoverSweeper();
        try (var logged = new LoggedEvents(LeftoverSweeper.class);
                var first = Watchdog.start(owner, LONG, launcher, () -> {})) {
            assertThatThrownBy(() -> sweeper.sweep(twin, Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the id '" + owner.workerId() + "' runs on this system")
                    .hasMessageContaining("pid [" + first.pid() + "]");
            assertThat(logged.events())
                    .filteredOn(it -> it.getKeyValuePairs().toString().contains(owner.workerId()))
                    .singleElement()
                    .satisfies(
                            event -> {
                                assertThat(event.getLevel()).isEqualTo(Level.WARN);
                                assertThat(event.getMessage())
                                        .startsWith("Another worker with this id runs")
                                        .endsWith("Stop it, or give this one another worker.id");
                                assertThat(event.getKeyValuePairs().toString())
                                        .contains("worker_id=\"" + owner.workerId())
                                        .contains("watchdogs=\"[" + first.pid() + "]\"")
                                        .contains("seconds=\"1\"");
                            });
        }
        assertThat(sweeper.sweep(twin, PATIENCE)).isEmpty();
    }

    @Test
    @DisplayName("PRO-115 a worker killed by SIGKILL leaves no child, grandchild or watchdog")
    void killedWorkerLeavesNothing() throws Exception {
        var worker = startWorker(LONG);
        assertAllAlive();
        worker.signal(ProcessSignal.KILL);
        awaitAllDead();
    }

    @Test
    @DisplayName(
            "PRO-115 a worker frozen past its retention has no child left; thawed, it starts none")
    void frozenWorkerLeavesNothing() throws Exception {
        var worker = startWorker(Duration.ofSeconds(10));
        assertAllAlive();
        Signals.send(worker.pid(), "STOP");
        awaitAllDead();
        assertThat(Processes.alive(worker.pid())).isTrue();
        Signals.send(worker.pid(), "CONT");
        heard.awaitStdout("refused CLOSED");
        assertThat(heard.stdout()).contains("lost");
    }

    @Test
    void theWatchdogSurvivesSignalsMeantForTheWorker() throws Exception {
        var worker = startWorker(LONG);
        var watchdog = pidsAfter("watchdog").getFirst();
        for (var signal : List.of("TERM", "INT", "HUP")) {
            Signals.send(watchdog, signal);
        }
        assertAllAlive();
        assertThat(Processes.alive(watchdog)).isTrue();
        worker.signal(ProcessSignal.KILL);
        awaitAllDead();
    }

    @Test
    @DisplayName("a new incarnation waits for the old watchdog and kills what it could not")
    void sweepsLeftovers() throws Exception {
        var worker = startWorker(LONG);
        var sweeper = new LeftoverSweeper();
        var next = new ProcessOwner(owner.workerId(), "second");
        assertThatThrownBy(() -> sweeper.sweep(next, Duration.ofMillis(200)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stop it");
        assertAllAlive();
        // The watchdog first, then at once the worker, before it starts another.
        Signals.send(worker.pid(), "STOP");
        Signals.send(pidsAfter("watchdog").getFirst(), "KILL");
        await().atMost(PATIENCE).until(() -> !Processes.alive(pidsAfter("watchdog").getFirst()));
        worker.signal(ProcessSignal.KILL);
        heard.awaitExit();
        assertAllAlive();
        assertThat(sweeper.sweep(next, PATIENCE))
                .containsAll(pidsAfter("child"))
                .containsAll(pidsAfter("grandchild"));
        awaitAllDead();
        assertThat(sweeper.sweep(next, PATIENCE)).isEmpty();
    }

    @Test
    void aKilledWatchdogIsReplacedAndKnowsAllChildren() throws Exception {
        var losses = new AtomicInteger();
        try (var watchdog = Watchdog.start(owner, LONG, launcher, losses::incrementAndGet)) {
            // Without a mark, so that only the registration tells whose it is.
            var child =
                    launcher.launch(
                            new LaunchSpec(
                                    List.of("sleep", "600"), Map.of("PATH", "/usr/bin:/bin"), null),
                            heard);
            watchdog.register(child.tree());
            var first = watchdog.pid();
            Signals.send(first, "KILL");
            await().atMost(PATIENCE).until(() -> watchdog.pid() != first);
            assertThat(watchdog.held()).isTrue();
        }
        assertThat(heard.awaitExit()).isEqualTo(ExitStatus.killedBy("SIGKILL"));
        assertThat(losses).hasValue(0);
    }

    @Test
    @DisplayName("the script runs under bash, and spares what was taken out")
    void runsUnderBash() throws Exception {
        runsUnder(List.of("bash", "-c"));
    }

    @Test
    @NeedsProgram(Program.BUSYBOX)
    @DisplayName("the script runs under busybox, and spares what was taken out")
    void runsUnderBusybox() throws Exception {
        runsUnder(List.of("busybox", "ash", "-c"));
    }

    private void runsUnder(List<String> shell) throws Exception {
        var helper = new WatchdogHelper(owner, LONG, launcher);
        var process = helper.start(shell, (_, _) -> {}).process();
        var registered = sleeper(new RecordingListener());
        var takenOut = sleeper(heard);
        var stranger = sleeper(new RecordingListener());
        process.write(
                "add %d %d\nadd %d %d\nadd %d 1\nbeat\ndrop %d %d\n"
                        .formatted(
                                takenOut.pid(),
                                takenOut.tree().startTime(),
                                registered.pid(),
                                registered.tree().startTime(),
                                stranger.pid(),
                                takenOut.pid(),
                                takenOut.tree().startTime())
                        .getBytes(StandardCharsets.US_ASCII),
                PATIENCE);
        process.closeStdin();
        assertThat(process.awaitExit(PATIENCE)).isTrue();
        assertThat(registered.awaitExit(PATIENCE)).isTrue();
        assertThat(Processes.alive(takenOut.pid())).isTrue();
        assertThat(Processes.alive(stranger.pid())).isTrue();
        takenOut.signal(ProcessSignal.KILL);
        stranger.signal(ProcessSignal.KILL);
    }

    @Test
    @DisplayName("the script keeps up with a worker that has thousands of servers")
    void thousandsOfSessions() throws Exception {
        var process =
                new WatchdogHelper(owner, LONG, launcher)
                        .start(List.of("bash", "-c"), (_, _) -> {})
                        .process();
        var registered = sleeper(heard);
        var lines = new StringBuilder();
        for (int number = 0; number < THOUSANDS; number++) {
            lines.append("add %d 1%n".formatted(MORE_THAN_ANY_PID + number));
        }
        for (int number = THOUSANDS - 1; number >= 0; number--) {
            lines.append("drop %d 1%n".formatted(MORE_THAN_ANY_PID + number));
        }
        lines.append("add %d %d%n".formatted(registered.pid(), registered.tree().startTime()));
        process.write(lines.toString().getBytes(StandardCharsets.US_ASCII), PATIENCE);
        process.closeStdin();
        assertThat(heard.awaitExit()).isEqualTo(ExitStatus.killedBy("SIGKILL"));
        assertThat(process.awaitExit(PATIENCE)).isTrue();
    }

    @Test
    @DisplayName("OWN-14 the script ends the marked ones before it looks for what they left")
    void endsTheMarkedOnesFirst(@TempDir Path directory) throws Exception {
        var kills = directory.resolve("kills");
        var noting =
                "script=$0; shift; kill() { echo \"$*\" >>'%s'; command kill \"$@\"; };"
                                .formatted(kills)
                        + " eval \"$script\"";
        var process =
                new WatchdogHelper(owner, LONG, launcher)
                        .start(List.of("bash", "-c", noting), (_, _) -> {})
                        .process();
        var marked =
                launcher.launch(
                        new LaunchSpec(
                                List.of("bash", "-c", "env -i sleep 600 & echo child $!; wait"),
                                Map.of(
                                        "PATH",
                                        "/usr/bin:/bin",
                                        ProcessOwner.VARIABLE,
                                        owner.marker(1)),
                                null),
                        heard);
        await().atMost(PATIENCE).until(() -> heard.stdout().endsWith("\n"));
        long child = pidsAfter("child").getFirst();
        var mark = Path.of("/proc", Long.toString(child), "environ");
        await().atMost(PATIENCE)
                .until(() -> !Files.readString(mark).contains(ProcessOwner.VARIABLE));

        process.closeStdin();

        assertThat(process.awaitExit(PATIENCE)).isTrue();
        assertThat(Files.readAllLines(kills)).startsWith("-KILL " + marked.pid(), "-KILL " + child);
        await().atMost(PATIENCE).until(() -> !Processes.alive(child));
    }

    private ChildProcess sleeper(ChildListener listener) throws LaunchException {
        return launcher.launch(
                new LaunchSpec(List.of("sleep", "600"), Map.of("PATH", "/usr/bin:/bin"), null),
                listener);
    }

    @Test
    void anOwnedChildIsMarkedAndClearedOfWhatItLeavesBehind() throws Exception {
        try (var watchdog = Watchdog.start(owner, LONG, launcher, () -> {})) {
            var owned =
                    new OwnedLauncher(
                            launcher, owner, watchdog, new Termination(), Duration.ofMillis(200));
            var environment = Map.of("PATH", "/usr/bin:/bin", ProcessOwner.VARIABLE, "forged");
            owned.launch(
                    new LaunchSpec(
                            List.of(
                                    "bash",
                                    "-c",
                                    "(trap '' TERM; sleep 600; true) & echo $PERIGEE_OWNER; exit"
                                            + " 1"),
                            environment,
                            null),
                    heard);
            assertThat(heard.awaitExit()).isEqualTo(ExitStatus.exited(1));
            assertThat(heard.stdout().strip()).isEqualTo(owner.marker(1));
            await().atMost(PATIENCE).until(() -> Processes.marked(owner).isEmpty());
        }
    }

    @Test
    @DisplayName("TEN-04: is known by its arguments where its environment cannot be read")
    void byItsArguments() {
        assertThat(
                        WatchdogHelper.guarded(
                                "bash\0-c\0read beat\n\0perigee-watchdog\0worker-1:first:\00030\0"))
                .isEqualTo("worker-1:first");
        assertThat(WatchdogHelper.guarded("busybox\0ash\0-c\0x\0perigee-watchdog\0w:2:\0005\0"))
                .isEqualTo("w:2");
        assertThat(WatchdogHelper.guarded("")).isNull();
        assertThat(WatchdogHelper.guarded("less\0perigee-watchdog\0")).isNull();
        assertThat(WatchdogHelper.guarded("bash\0-c\0x\0perigee-watchdog")).isNull();
        assertThat(ProcessReader.outside("Name:\tbash\nNSpid:\t77\nNSsid:\t1\t2\n")).isTrue();
        assertThat(ProcessReader.outside("NSpid:\t77\t3\n")).isFalse();
    }
}
