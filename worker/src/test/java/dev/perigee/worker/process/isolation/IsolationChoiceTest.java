package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                        launcher));
    }

    /** A program that says what it was started with and fails. */
    private void fake(String name) throws Exception {
        var file =
                Files.writeString(directory.resolve(name), "#!/bin/sh\necho broken >&2\nexit 9\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void isNoneInDevelopment() throws Exception {
        try (var isolation = choose(false, Map.of())) {
            assertThat(isolation.name()).isEqualTo("none");
            assertThat(isolation.description()).isEqualTo("none");
        }
    }

    @Test
    void isNoneInProductionOnlyWhenAskedFor() throws Exception {
        try (var isolation = choose(true, Map.of("isolation.mode", "none"))) {
            assertThat(isolation.name()).isEqualTo("none");
        }
    }

    @Test
    @DisplayName("decision 28: nsjail goes first, and one that does not work is no reason for less")
    void failsClosed() throws Exception {
        fake("nsjail");
        for (var settings : List.of(Map.<String, String>of(), Map.of("isolation.mode", "nsjail"))) {
            var more = new HashMap<>(settings);
            more.put("isolation.memory", "0");
            assertThatThrownBy(() -> choose(true, more))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("nsjail does not work")
                    .hasMessageContaining("broken")
                    .hasMessageContaining("isolation.mode=none");
        }
    }

    @Test
    void saysWhatToInstall() {
        Assumptions.assumeFalse(Files.exists(Path.of("/usr/bin/nsjail")));
        assertThatThrownBy(() -> choose(false, Map.of("isolation.mode", "nsjail")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no nsjail was found");
    }

    @Test
    @DisplayName("decision 28: a worker says what it cannot enforce")
    void saysWhatIsMissing() throws Exception {
        Jails.open(directory.resolve("caches"), Map.of()).close();
        try (var isolation =
                choose(true, Map.of("isolation.mode", "bubblewrap", "isolation.memory", "0"))) {
            assertThat(isolation.name()).isEqualTo("bubblewrap");
            assertThat(isolation.description()).startsWith("bubblewrap").doesNotContain("memory");
            assertThat(isolation.description().contains("runs as root"))
                    .isEqualTo(HostUser.isRoot());
        }
    }

    @Test
    @DisplayName("nsjail's own jail works, where nsjail is installed")
    void nsjail() throws Exception {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/bin/nsjail")),
                "nsjail is not installed: its jails are not tried here");
        try (var isolation = choose(true, Map.of("isolation.mode", "nsjail"))) {
            assertThat(isolation.name()).isEqualTo("nsjail");
        }
    }
}
