package dev.perigee.worker.process.isolation;

import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.settings.Settings;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.DiskReserve;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.Limit;
import dev.perigee.worker.process.LimitWatch;
import dev.perigee.worker.process.OwnedLauncher;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.ProcessOwner;
import dev.perigee.worker.process.ProcessTable;
import dev.perigee.worker.process.RecordingListener;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.Watchdog;
import dev.perigee.worker.process.packages.Deletion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The part of a worker that starts jailed programs, and what can be seen of them from outside. */
final class Jails implements AutoCloseable {
    static final String PYTHON = "/usr/bin/python3";

    private static final Duration RETENTION = Duration.ofMinutes(5);

    /** Quicker than a worker's at homes. */
    private static final LimitWatch.Pace PACE =
            new LimitWatch.Pace(Duration.ofMillis(250), Duration.ofMillis(250));

    /** What is to stay free. */
    static final long DISK_RESERVE = 64 << 20;

    static final long FILE_RESERVE = 1000;

    /** What one hostile program said and how it ended. */
    record Deed(ChildProcess process, RecordingListener heard) {

        String told() {
            heard.awaitClosed();
            return heard.stdout() + heard.stderr();
        }
    }

    final Termination termination = new Termination();
    final Isolation isolation;

    /** Among the arguments of every program, so that it is found from outside. */
    final String token = "token-" + UUID.randomUUID();

    /** What the disk of all homes is said to have free. */
    final AtomicLong freeDisk = new AtomicLong(Long.MAX_VALUE);

    /** And how many files can be made there. */
    final AtomicLong freeFiles = new AtomicLong(Long.MAX_VALUE);

    /** What the machine is said to have of memory that servers could take. */
    final AtomicLong availableMemory = new AtomicLong();

    /** Each end by a limit. */
    final Queue<Limit> ended = new ConcurrentLinkedQueue<>();

    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    private final Watchdog watchdog;
    private final LimitWatch limits;
    final ProcessLauncher owned;
    final Deletion deletion;

    private Jails(
            Path caches,
            Map<String, String> given,
            String workerId,
            Duration retention,
            MemorySearch memory,
            EgressGuards egress)
            throws Exception {
        var owner = new ProcessOwner(workerId, "first");
        watchdog = Watchdog.start(owner, retention, launcher, () -> {});
        var settings = settings(given);
        limits =
                LimitWatch.start(
                        new ProcessTable(),
                        PACE,
                        totals(settings),
                        new DiskReserve(freeDisk::get, DISK_RESERVE, freeFiles::get, FILE_RESERVE),
                        ended::add);
        owned =
                new OwnedLauncher(
                        launcher, owner, watchdog, termination, Duration.ofMillis(500), limits);
        isolation =
                IsolationChoice.choose(
                        settings,
                        new IsolationChoice.Host(
                                true,
                                workerId,
                                "first",
                                caches,
                                JailKind.environment(),
                                owned,
                                egress),
                        memory);
        deletion = new Deletion(isolation, owned, termination);
    }

    private LimitWatch.Totals totals(Settings settings) {
        var memory = settings.valueOrNull(IsolationSettings.TOTAL_MEMORY);
        var processes = settings.valueOrNull(IsolationSettings.TOTAL_PROCESSES);
        return new LimitWatch.Totals(
                memory == null ? 0 : memory,
                processes == null ? 0 : processes,
                availableMemory::get);
    }

    private static Settings settings(Map<String, String> settings) {
        var all =
                new HashMap<>(
                        Map.of(
                                "isolation.mode", "bubblewrap",
                                "isolation.pass-environment", "CI_RUN_MARK"));
        all.putAll(settings);
        return IsolationSettings.SCHEMA.read(all);
    }

    /** With settings besides bubblewrap's; skips or fails the test where there are no jails. */
    static Jails open(Path caches, Map<String, String> settings) throws Exception {
        return open(caches, settings, RETENTION);
    }

    static Jails open(Path caches, Map<String, String> settings, Duration retention)
            throws Exception {
        return open(caches, settings, retention, Path.of("/proc/self"));
    }

    /** As in a container to which no control group is delegated. */
    static Jails openWithoutGroups(Path caches, Map<String, String> settings) throws Exception {
        return open(caches, settings, RETENTION, Path.of("/nowhere"));
    }

    private static Jails open(
            Path caches, Map<String, String> settings, Duration retention, Path self)
            throws Exception {
        return open(caches, settings, retention, self, EgressGuards.of(EgressPolicy.INTERNET));
    }

    /** With what servers may reach. */
    static Jails open(Path caches, Map<String, String> settings, EgressGuards egress)
            throws Exception {
        return open(caches, settings, RETENTION, Path.of("/proc/self"), egress);
    }

    private static Jails open(
            Path caches,
            Map<String, String> settings,
            Duration retention,
            Path self,
            EgressGuards egress)
            throws Exception {
        var workerId = "jail-test-" + UUID.randomUUID();
        pass(caches);
        try {
            return new Jails(caches, settings, workerId, retention, new MemorySearch(self), egress);
        } catch (IllegalStateException e) {
            JailKind.cannot(settings, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** Lets the users of jails pass a test's own directories, as they can pass a real worker's. */
    private static void pass(Path caches) throws IOException {
        Files.createDirectories(caches);
        for (var at = caches; at != null; at = at.getParent()) {
            var permissions = EnumSet.copyOf(Files.getPosixFilePermissions(at));
            if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
                Files.setPosixFilePermissions(at, permissions);
            }
        }
    }

    /** The home of a team's one installation. */
    static Home.OfInstallation home(String team) {
        return new Home.OfInstallation(team, "user", "installation");
    }

    /** Where it is on the host. */
    Path homeOf(String team, ServerRuntime runtime) {
        return isolation
                .home(new ServerProgram(home(team), runtime, List.of("none"), Map.of()))
                .host();
    }

    /** Starts a program for a team. */
    Deed start(String team, Map<String, String> environment, List<String> command)
            throws LaunchException {
        return start(new ServerProgram(home(team), ServerRuntime.NODE, command, environment));
    }

    Deed start(ServerProgram program) throws LaunchException {
        var heard = new RecordingListener();
        return new Deed(owned.launch(isolation.enclose(program), heard), heard);
    }

    /** Starts a program that reaches no more than this. */
    Deed start(ServerProgram program, ProgramEgress reach) throws LaunchException {
        var heard = new RecordingListener();
        return new Deed(owned.launch(isolation.enclose(program, reach), heard), heard);
    }

    Deed shell(String script) throws LaunchException {
        return start("team", Map.of(), List.of("bash", "-c", script, token));
    }

    /** Has the hostile program try one thing. */
    Deed attempt(String what, Object... more) throws LaunchException {
        return attempt(home("team"), what, more);
    }

    /** The same in an installation's own home. */
    Deed attempt(Home.OfInstallation home, String what, Object... more) throws LaunchException {
        var command = new ArrayList<>(List.of(PYTHON, "-c", hostileProgram(), what, token));
        Stream.of(more).map(Object::toString).forEach(command::add);
        return start(new ServerProgram(home, ServerRuntime.NODE, command, Map.of()));
    }

    static String hostileProgram() {
        return resource("/hostile.py");
    }

    static String resource(String name) {
        try (var text = Jails.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Live processes of the host that have the token among their arguments. */
    static List<Long> carrying(String token) {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> pid != ProcessHandle.current().pid())
                .filter(pid -> arguments(pid).contains(token))
                .toList();
    }

    static String arguments(long pid) {
        try {
            return Files.readString(
                    Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    static void awaitNone(String token) {
        await().atMost(RecordingListener.PATIENCE).until(() -> carrying(token).isEmpty());
    }

    @Override
    public void close() {
        deletion.close();
        watchdog.close();
        isolation.close();
        limits.close();
        launcher.close();
        awaitNone(token);
    }
}
