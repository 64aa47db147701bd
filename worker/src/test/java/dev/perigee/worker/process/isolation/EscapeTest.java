package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A hostile program tries what would let it out of a real jail. */
@DisplayName("TEN-21: out of a jail")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class EscapeTest {
    private final JailKind kind;

    @TempDir private Path caches;
    private Jails jails;

    EscapeTest(JailKind kind) {
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

    private List<String> attempt(String what) throws Exception {
        return jails.attempt(what).told().lines().toList();
    }

    @Test
    @DisplayName("lead no namespaces, mounts and settings of the kernel")
    void namespaces() throws Exception {
        assertThat(attempt("nested"))
                .hasSize(38)
                .endsWith("END")
                .filteredOn(line -> !line.equals("END"))
                .allMatch(line -> line.matches(".* (EPERM|EACCES|EROFS|ENOENT)"), "refused");
    }

    @Test
    @DisplayName(
            "lead no files of the host with rights, and nothing is writable that is not its own")
    void mounts() throws Exception {
        var mounts = attempt("mounts");
        assertThat(mounts).contains("/usr ro", "/etc ro", "/home/node rw");
        assertThat(mounts)
                .filteredOn(line -> !line.matches("(/|/proc|/dev/.*) r[ow] .*"))
                .allMatch(line -> line.matches("\\S+ ro|(/home/node|/tmp|/dev/shm) rw"));
        assertThat(mounts)
                .filteredOn(line -> line.matches("/dev/.*"))
                .allMatch(line -> line.matches("\\S+ r[ow] nodev|/dev/shm rw"));
    }

    @Test
    @DisplayName("leads no process that is its jail's first")
    void firstProcess() throws Exception {
        assertThat(attempt("first"))
                .contains("same True", "state True")
                .noneMatch(line -> line.contains(" done"));
    }

    @Test
    @DisplayName("lead no terminals and devices")
    void terminals() throws Exception {
        assertThat(attempt("terminals"))
                .contains("devices []", "controlling ENXIO", "type into own EPERM")
                .endsWith("END")
                .noneMatch(line -> line.contains(" done"));
    }

    @Test
    @DisplayName("comes no core dump")
    void cores() throws Exception {
        assertThat(attempt("core")).containsExactly("limit EPERM", "ended by SIGABRT False []");
    }
}
