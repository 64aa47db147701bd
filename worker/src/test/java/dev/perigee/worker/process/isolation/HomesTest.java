package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.process.isolation.Home.OfInstallation;
import dev.perigee.worker.process.packages.Deletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A hostile program tries to get at another installation's home and processes. */
@DisplayName("TEN-01: in real jails")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class HomesTest {
    private static final String SECRET = "of-the-victim-alone";
    private static final OfInstallation VICTIM = new OfInstallation("team", "alice", "files");

    /** A process's own command, which names its own home on the host. */
    private static final Pattern OWN = Pattern.compile("^/proc/\\d+/(cmdline|environ|maps) ");

    private final JailKind kind;
    @TempDir private Path caches;
    private Jails jails;

    HomesTest(JailKind kind) {
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

    private Jails.Deed run(OfInstallation home, Map<String, String> environment, List<String> words)
            throws Exception {
        var command = new ArrayList<>(words);
        command.add(jails.token);
        return jails.start(new ServerProgram(home, ServerRuntime.NODE, command, environment));
    }

    private Path hostHome(OfInstallation home) {
        return jails.isolation
                .home(new ServerProgram(home, ServerRuntime.NODE, List.of("none"), Map.of()))
                .host();
    }

    @Test
    @DisplayName("a colleague, another team and another installation of one's own reach nothing")
    void areTheInstallationsOwn() throws Exception {
        var script = "echo \"$KEY\" > ~/notes; echo up; read line; cat ~/notes";
        var victim = run(VICTIM, Map.of("KEY", SECRET), List.of("bash", "-c", script, "bash"));
        victim.heard().awaitStdout("up\n");
        var home = hostHome(VICTIM);

        for (var attacker :
                List.of(
                        new OfInstallation("team", "bob", "files"),
                        new OfInstallation("team", "alice", "other"),
                        new OfInstallation("rivals", "alice", "files"))) {
            var told = reach(attacker, home);
            assertThat(told).as("%s", attacker).endsWith("END\n").doesNotContain(SECRET);
            assertThat(told.lines().filter(line -> line.contains(caches + "")))
                    .as("%s", attacker)
                    .isNotEmpty();
            assertThat(told.lines().filter(line -> line.contains(caches + "")))
                    .as("%s", attacker)
                    .noneMatch(line -> line.contains(" DONE") && !OWN.matcher(line).find());
        }

        victim.process().closeStdin();
        assertThat(victim.told()).contains(SECRET).doesNotContain("changed");
        try (var files = Files.list(home)) {
            assertThat(files).containsExactly(home.resolve("notes"));
        }
    }

    private String reach(OfInstallation attacker, Path home) throws Exception {
        var program = Jails.resource("/hostile_tenant.py");
        return run(
                        attacker,
                        Map.of(),
                        List.of(
                                Jails.PYTHON,
                                "-c",
                                program,
                                "reach",
                                "token",
                                home.resolve("notes").toString(),
                                home.toString(),
                                caches.resolve("homes").toString()))
                .told();
    }

    @Test
    @DisplayName("a home is kept over restarts of its server")
    void areKept() throws Exception {
        run(VICTIM, Map.of(), List.of("bash", "-c", "echo mine > ~/kept", "bash")).told();

        assertThat(run(VICTIM, Map.of(), List.of("bash", "-c", "cat ~/kept", "bash")).told())
                .isEqualTo("mine\n");
    }

    @Test
    @DisplayName("a removed installation's home is deleted, whatever its programs made of it")
    void areDeleted(@TempDir Path elsewhere) throws Exception {
        Files.writeString(elsewhere.resolve("kept"), "not theirs");
        var traps =
                "mkdir -p a/b; ln -s %1$s a/b/l; ln -s %1$s l; touch -- -rf '*'; mkfifo p; chmod 0 a/b a ."
                        .formatted(elsewhere);
        run(VICTIM, Map.of(), List.of("bash", "-c", traps, "bash")).told();

        jails.deletion.discard(VICTIM);

        assertThat(hostHome(VICTIM)).isEmptyDirectory();
        awaitDeleted();
        assertThat(elsewhere.resolve("kept")).hasContent("not theirs");
    }

    @Test
    @DisplayName("TEN-09: a home that is over its limit of files is deleted all the same")
    void areDeletedThoughTheyAreFull() throws Exception {
        jails.close();
        jails = Jails.open(caches, kind.with(Map.of("isolation.disk-files", "100")));
        var files = "for number in {1..5000}; do : > \"$HOME/$number\"; done; read line";
        var exit = run(VICTIM, Map.of(), List.of("bash", "-c", files, "bash")).heard().awaitExit();
        assertThat(exit.limit()).isNotNull();
        // So many that no measuring comes too late.
        var home = hostHome(VICTIM);
        for (var number = 0; number < 5000; number++) {
            Files.createDirectory(home.resolve("d" + number));
        }

        jails.deletion.discard(VICTIM);

        awaitDeleted();
    }

    @Test
    @DisplayName("what is removed while a worker ends stays for the next worker to delete")
    void areDeletedByTheNext() throws Exception {
        run(VICTIM, Map.of(), List.of("touch", "file")).told();
        jails.deletion.close();
        jails.deletion.discard(VICTIM);
        assertThat(isEmpty(jails.isolation.gone())).isFalse();

        try (var next = new Deletion(jails.isolation, jails.owned, jails.termination)) {
            next.resume();
            awaitDeleted();
        }
    }

    private void awaitDeleted() {
        await().atMost(Duration.ofSeconds(60)).until(() -> isEmpty(jails.isolation.gone()));
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }
}
