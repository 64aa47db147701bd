package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.faults.Skipped;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.ProcessSignal;
import dev.perigee.worker.process.RecordingListener;
import dev.perigee.worker.process.isolation.Home.OfInstallation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two users of one team: a hostile program of one uses up what the kernel counts for a user. */
@DisplayName("TEN-04: in real jails")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class IdentitiesTest {
    private static final OfInstallation VICTIM = new OfInstallation("team", "alice", "files");
    private static final OfInstallation ATTACKER = new OfInstallation("team", "bob", "files");
    private static final String PROGRAM = Jails.resource("/hostile_quota.py");
    private static final String TENANT = Jails.resource("/hostile_tenant.py");

    private final JailKind kind;
    @TempDir private Path caches;
    private Jails jails;

    IdentitiesTest(JailKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        jails = Jails.open(caches, kind.with(Map.of()));
    }

    @AfterEach
    void close() {
        if (jails != null) {
            jails.close();
        }
    }

    private void reopen(Map<String, String> settings) throws Exception {
        jails.close();
        jails = Jails.open(caches, kind.with(settings));
    }

    private void needsIds() {
        if (jails.isolation.description().contains("an identity for each server")) {
            Skipped.because("needs root", "ROOT_REQUIRED");
        }
    }

    private Jails.Deed run(OfInstallation home, String... words) throws Exception {
        return jails.start(new ServerProgram(home, ServerRuntime.NODE, List.of(words), Map.of()));
    }

    private Jails.Deed idle(OfInstallation home) throws Exception {
        var deed = run(home, "bash", "-c", "touch ~/own; echo up; read line", jails.token);
        deed.heard().awaitStdout("up\n");
        return deed;
    }

    private Path home(OfInstallation home) {
        return jails.isolation
                .home(new ServerProgram(home, ServerRuntime.NODE, List.of("none"), Map.of()))
                .host();
    }

    private static int owner(Path path) throws IOException {
        return FileOwner.of(path);
    }

    /** The users, real, effective, saved and of files, and the groups of all that runs. */
    private SortedSet<String> users() throws IOException {
        var users = new TreeSet<String>();
        for (var pid : Jails.carrying(jails.token)) {
            for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                if (line.startsWith("Uid:") || line.startsWith("Gid:")) {
                    users.addAll(List.of(line.substring(4).strip().split("\\s+")));
                } else if (line.startsWith("Groups:")) {
                    users.addAll(List.of(line.substring(7).strip().split("\\s+")));
                }
            }
        }
        users.remove("");
        return users;
    }

    private void useUp(String what) throws Exception {
        var attacker = run(ATTACKER, Jails.PYTHON, "-c", PROGRAM, "use", what, jails.token);
        attacker.heard().awaitStdout("used " + what);
        assertThat(attacker.heard().stdout()).doesNotContain("never");
        var told = run(VICTIM, Jails.PYTHON, "-c", PROGRAM, "work", jails.token).told();
        assertThat(told).as(attacker.heard().stdout()).endsWith("END\n").doesNotContain("FAILS");
        attacker.process().signal(ProcessSignal.KILL);
    }

    @ParameterizedTest(name = "one uses up {0}, the neighbour works")
    @ValueSource(strings = {"inotify", "watches", "pipes", "flight", "signals", "locked", "keys"})
    void useUpWhatIsCountedForAUser(String what) throws Exception {
        needsIds();
        useUp(what);
    }

    @ParameterizedTest(name = "without ids: one uses up {0}, the neighbour works")
    @ValueSource(strings = {"inotify", "watches", "signals", "locked", "keys"})
    void useUpWhatIsCountedForANamespace(String what) throws Exception {
        reopen(Map.of("isolation.ids", "none"));
        assertThat(jails.isolation.description())
                .contains("not enforced: an identity for each server: isolation.ids=none");
        useUp(what);
    }

    @Test
    @DisplayName("each home has a user of its own on the host, which it keeps over restarts")
    void haveUsersOfTheirOwn() throws Exception {
        needsIds();
        var victim = idle(VICTIM);
        var first = users();
        assertThat(first).hasSize(1).doesNotContain("0", Integer.toString(FileOwner.own()));
        assertThat(owner(home(VICTIM))).asString().isEqualTo(first.first());
        assertThat(owner(home(VICTIM).resolve("own"))).asString().isEqualTo(first.first());
        assertThat(Files.getPosixFilePermissions(home(VICTIM))).hasSize(3);
        var attacker = idle(ATTACKER);
        assertThat(users()).hasSize(2).containsAll(first);

        victim.process().signal(ProcessSignal.KILL);
        attacker.process().signal(ProcessSignal.KILL);
        Jails.awaitNone(jails.token);
        reopen(Map.of());
        var again = idle(VICTIM);
        assertThat(users()).isEqualTo(first);
        again.process().signal(ProcessSignal.KILL);
    }

    @Test
    @DisplayName("one cannot signal, read or trace the other by any number it may have")
    void areStrangersInside() throws Exception {
        var victim = answering();
        var words = new ArrayList<>(List.of(Jails.PYTHON, "-c", TENANT, "neighbour", jails.token));
        words.addAll(processes(victim));
        assertStrangers(run(ATTACKER, words.toArray(String[]::new)).told(), victim);
    }

    @Test
    @DisplayName("outside of its namespaces, too, one cannot signal, read or trace the other")
    void areStrangersOnTheHost() throws Exception {
        needsIds();
        var victim = answering();
        var processes = processes(victim);
        var attacker = idle(ATTACKER);
        var id = Integer.toString(owner(home(ATTACKER)));
        var words = new ArrayList<>(List.of("setpriv", "--reuid", id, "--regid", id));
        words.addAll(List.of("--clear-groups", Jails.PYTHON, "-c", TENANT, "neighbour"));
        words.add("outside");
        words.addAll(processes);
        words.addAll(List.of(home(VICTIM).toString(), caches.resolve("homes").toString()));
        var outside = new ProcessBuilder(words).redirectErrorStream(true).start();
        attacker.process().signal(ProcessSignal.KILL);
        assertStrangers(
                new String(outside.getInputStream().readAllBytes(), StandardCharsets.UTF_8),
                victim);
    }

    /** A program that answers what it hears, with a descriptor and memory worth to have. */
    private Jails.Deed answering() throws Exception {
        var victim =
                run(
                        VICTIM,
                        "bash",
                        "-c",
                        "exec 5> ~/own; echo up; read line; echo \"heard $line\"",
                        jails.token);
        victim.heard().awaitStdout("up\n");
        return victim;
    }

    /** Its numbers on the host, those of its jail's own processes among them. */
    private List<String> processes(Jails.Deed victim) {
        var pids = Jails.carrying(jails.token).stream().map(String::valueOf).toList();
        assertThat(pids).contains(Long.toString(victim.process().pid())).hasSizeGreaterThan(1);
        return pids;
    }

    private static void assertStrangers(String told, Jails.Deed victim) throws Exception {
        assertThat(told).endsWith("END\n").doesNotContain("DONE");
        assertThat(told.lines().filter(line -> line.startsWith("ptrace"))).isNotEmpty();
        victim.process().write("all\n".getBytes(StandardCharsets.UTF_8), Duration.ofSeconds(20));
        assertThat(victim.told()).isEqualTo("up\nheard all\n");
    }

    @Test
    @DisplayName("a home of the worker's own becomes its installation's, no link is followed")
    void takeOver(@TempDir Path elsewhere) throws Exception {
        needsIds();
        var outside = Files.writeString(elsewhere.resolve("outside"), "not theirs");
        var home = home(VICTIM);
        Files.createDirectories(home.resolve("a/b"));
        Files.writeString(home.resolve("a/b/old"), "mine");
        Files.createSymbolicLink(home.resolve("a/link"), elsewhere);
        assertThat(run(VICTIM, "sh", "-c", "cat ~/a/b/old; echo new > ~/a/b/old").told())
                .isEqualTo("mine");
        assertThat(home.resolve("a/b/old")).hasContent("new");
        assertThat(owner(home.resolve("a/link"))).isEqualTo(owner(home));
        assertThat(owner(outside)).isEqualTo(FileOwner.own());
        assertThat(owner(elsewhere)).isEqualTo(FileOwner.own());
    }

    @Test
    @DisplayName("where all ids are taken a new home has none, and the old ones go on")
    void runOut() throws Exception {
        needsIds();
        reopen(Map.of("isolation.ids", "20000-20001"));
        assertThat(run(VICTIM, "echo", "up").told()).isEqualTo("up\n");
        assertThatThrownBy(() -> run(ATTACKER, "echo", "up"))
                .hasMessageContaining("All 1 ids of isolation.ids=20000-20001")
                .hasMessageContaining("give it more ids");
        assertThat(run(VICTIM, "echo", "up").told()).isEqualTo("up\n");
    }

    @Test
    @DisplayName("an id that another worker's configuration gave is not taken for one's own")
    void refuseStrangers() throws Exception {
        needsIds();
        run(VICTIM, "echo", "up").told();
        reopen(Map.of("isolation.ids", "30000-30009"));
        assertThatThrownBy(() -> run(VICTIM, "echo", "up"))
                .hasMessageContaining("which is not among isolation.ids");
        reopen(Map.of("isolation.ids", "none"));
        assertThatThrownBy(() -> run(VICTIM, "echo", "up"))
                .hasMessageContaining("set isolation.ids as it was");
    }

    @Test
    @DisplayName("root of a container with users of its own gives them to homes, too")
    void ofAContainer() throws Exception {
        if (FileOwner.own() != 0) {
            Skipped.because("needs root", "ROOT_REQUIRED");
        }
        jails.close();
        var heard = new RecordingListener();
        try (var launcher = ProcessLaunchers.create(LauncherOptions.defaults())) {
            var command =
                    List.of(
                            "perl",
                            "-e",
                            Jails.resource("/users.pl"),
                            "20000",
                            "40000",
                            "5000",
                            ProcessHandle.current().info().command().orElseThrow(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-Xmx64m",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            JailedScript.class.getName(),
                            caches.toString(),
                            kind.name(),
                            "/usr",
                            "touch ~/own && id -u && kill -9 1; echo up");
            launcher.launch(new LaunchSpec(command, System.getenv(), null), heard);
            heard.awaitClosed();
        }
        assertThat(heard.stdout()).as(heard.stderr()).contains("1000\nup\n");
        var home = new CacheLayout(caches).home(Jails.home("team"), ServerRuntime.NODE);
        assertThat(owner(home)).isEqualTo(5_001);
        assertThat(owner(home.resolve("own"))).isEqualTo(5_001);
        assertThat(heard.stdout()).doesNotContain("an identity for each server");
    }
}
