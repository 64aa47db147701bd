package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("TEN-16: Of the programs that make jails")
final class JailProgramsTest {
    @TempDir private Path system;
    @TempDir private Path own;

    private JailPrograms programs(String... installed) throws Exception {
        for (var name : installed) {
            var file = Files.writeString(system.resolve(name), "");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-x------"));
        }
        return new JailPrograms(
                own.toString(),
                system.toString(),
                new SyscallFiles(Path.of("calls.bpf"), Path.of("calls.kafel")));
    }

    @Test
    @DisplayName("bubblewrap goes first where both are installed, else the one that is there")
    void any() throws Exception {
        assertThat(programs("sh", "env", "nsjail").any()).hasOnlyElementsOfType(Nsjail.class);
        assertThat(programs("bwrap", "prlimit").any()).hasOnlyElementsOfType(Bubblewrap.class);
        assertThat(programs().nsjail()).hasOnlyElementsOfType(Nsjail.class);
    }

    @Test
    @DisplayName("one that is asked for by name is never replaced by the other")
    void byName() throws Exception {
        var withoutNsjail = programs("env", "bwrap", "prlimit");
        assertThatThrownBy(withoutNsjail::nsjail).hasMessageContaining("there is no nsjail");
        var withoutEnv = programs("nsjail", "sh");
        Files.delete(system.resolve("env"));
        assertThatThrownBy(withoutEnv::nsjail)
                .hasMessageContaining("there is no env")
                .hasMessageContaining("apt-get install coreutils");
        programs("env");
        Files.delete(system.resolve("sh"));
        assertThatThrownBy(withoutEnv::nsjail).hasMessageContaining("there is no sh");
        Files.delete(system.resolve("bwrap"));
        assertThatThrownBy(withoutEnv::bubblewrap)
                .hasMessageContaining("there is no bwrap")
                .hasMessageContaining("apt-get install bubblewrap util-linux");
    }

    @Test
    @DisplayName("one that lacks a part is no reason for the other")
    void incomplete() throws Exception {
        var programs = programs("bwrap", "nsjail", "env");
        assertThatThrownBy(programs::any)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no prlimit");
    }

    @Test
    @DisplayName("none is an error that says what to install, or what to set")
    void none() throws Exception {
        var programs = programs();
        assertThatThrownBy(programs::any)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("apt-get install bubblewrap util-linux")
                .hasMessageContaining("isolation.mode=none");
    }
}
