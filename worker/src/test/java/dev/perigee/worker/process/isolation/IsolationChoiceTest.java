package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PRO-08 and decision 28: which isolation a worker gets, and that production fails closed. */
@DisplayName("PRO-08: the isolation of a worker")
final class IsolationChoiceTest {

    @TempDir private Path directory;
    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());

    @AfterEach
    void close() {
        launcher.close();
    }

    private Isolation choose(boolean production, Map<String, String> settings) throws Exception {
        return IsolationChoice.choose(
                IsolationSettings.SCHEMA.read(settings),
                new IsolationChoice.Host(
                        production,
                        "w",
                        "i",
                        directory.resolve("caches"),
                        Map.of("PATH", directory.toString()),
                        launcher,
                        EgressGuards.of(EgressPolicy.INTERNET)));
    }

    /** A program that fails and says so. */
    private void broken(String name) throws Exception {
        fake(name, "echo broken >&2; exit 9");
    }

    private void fake(String name, String script) throws Exception {
        var file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void isNoneOnlyWhenAskedFor() throws Exception {
        for (boolean production : List.of(true, false)) {
            try (var isolation = choose(production, Map.of("isolation.mode", "none"))) {
                assertThat(isolation.name()).isEqualTo("none");
                assertThat(isolation.description()).isEqualTo("none");
            }
        }
    }

    @Test
    @DisplayName("TEN-16, decision 28: without a jail that works there is no worker, in any mode")
    void failsClosed() throws Exception {
        broken("bwrap");
        for (boolean production : List.of(true, false)) {
            assertThatThrownBy(() -> choose(production, Map.of("isolation.memory", "0")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("bubblewrap does not work")
                    .hasMessageContaining("broken")
                    .hasMessageContaining("make namespaces")
                    .hasMessageContaining("isolation.mode=none");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exit 0",
                "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"",
                "echo 'pid:[1]'; echo 'pid:[1]'; echo 'mnt:[2]'"
            })
    @DisplayName("TEN-16: a program that ends well and jails nothing is not a jail that works")
    void isNotTakenAtItsWord(String script) throws Exception {
        fake("bwrap", script);
        assertThatThrownBy(() -> choose(true, Map.of("isolation.memory", "0")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bubblewrap does not work")
                .hasMessageContaining("not in namespaces of its own");
    }

    @ParameterizedTest
    @CsvSource({"bubblewrap, bwrap, nsjail", "nsjail, nsjail, bwrap", "auto, bwrap, nsjail"})
    @DisplayName("TEN-16: a jail that does not work is never replaced by another")
    void isNotReplaced(String mode, String asked, String other) throws Exception {
        broken(asked);
        fake(other, "exit 0");
        assertThatThrownBy(
                        () -> choose(true, Map.of("isolation.mode", mode, "isolation.memory", "0")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(asked.equals("bwrap") ? "bubblewrap" : asked)
                .hasMessageContaining("does not work")
                .hasMessageContaining("broken");
    }

    @Test
    void saysWhatToInstall() {
        Assumptions.assumeTrue(Program.NSJAIL.missing() != null, "skipped: nsjail is installed");
        assertThatThrownBy(() -> choose(false, Map.of("isolation.mode", "nsjail")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("there is no nsjail: install it");
    }

    @Test
    @NeedsProgram(Program.BUBBLEWRAP)
    @DisplayName("decision 28: a worker says what it cannot enforce")
    void saysWhatIsMissing() throws Exception {
        Jails.open(directory.resolve("caches"), Map.of()).close();
        try (var isolation =
                choose(
                        true,
                        Map.of(
                                "isolation.mode", "bubblewrap",
                                "isolation.memory", "0",
                                "isolation.ids", "none"))) {
            assertThat(isolation.name()).isEqualTo("bubblewrap");
            assertThat(isolation.description()).startsWith("bubblewrap").doesNotContain("memory");
            assertThat(isolation.description().contains("run as root"))
                    .isEqualTo(HostUser.isRoot());
        }
    }

    @Test
    @NeedsProgram(Program.BUBBLEWRAP)
    @DisplayName("TEN-16: a path that is not there is the setting's fault, not the host's")
    void namesTheSetting() {
        var settings =
                Map.of(
                        "isolation.mode", "bubblewrap",
                        "isolation.memory", "0",
                        "isolation.read-only-paths", "/usr,/no/such/path");
        assertThatThrownBy(() -> choose(true, settings))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("isolation.read-only-paths has /no/such/path")
                .message()
                .doesNotContain("make namespaces");
    }

    @Test
    void refusesALimitThatNothingStartsWith() {
        assertThatThrownBy(() -> choose(true, Map.of("isolation.memory", "15MiB")))
                .hasMessageContaining("isolation.memory")
                .hasMessageContaining("0 or at least 16MiB");
    }

    @Test
    @NeedsProgram(Program.NSJAIL)
    @DisplayName("TEN-17: nsjail's own jail works")
    void nsjail() throws Exception {
        linkNsjail();
        try (var isolation = choose(true, Map.of("isolation.mode", "nsjail"))) {
            assertThat(isolation.name()).isEqualTo("nsjail");
        }
    }

    @Test
    @NeedsProgram(Program.NSJAIL)
    @DisplayName("TEN-16: where nsjail makes no jail, it is said in its own words why")
    void nsjailSaysWhy() throws Exception {
        linkNsjail();
        var settings =
                Map.of(
                        "isolation.mode", "nsjail",
                        "isolation.memory", "0",
                        "isolation.read-only-paths", "/no/such/path");
        assertThatThrownBy(() -> choose(true, settings))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nsjail does not work")
                .hasMessageContaining("/no/such/path")
                .hasMessageContaining("No such file or directory");
        assertThat(directory.resolve("caches/~jails/w")).isDirectoryNotContaining("glob:**.log");
    }

    private void linkNsjail() throws Exception {
        Files.createSymbolicLink(directory.resolve("nsjail"), Program.NSJAIL.path());
    }
}
