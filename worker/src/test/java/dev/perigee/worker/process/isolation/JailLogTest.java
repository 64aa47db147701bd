package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.process.LoggedEvents;
import dev.perigee.worker.process.RecordingListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("What a jail's own program says of a launch")
final class JailLogTest {
    @TempDir private Path directory;

    @Test
    void isTakenOnceAndOnlyItsBeginning() throws Exception {
        var log = JailLog.in(directory);
        assertThat(log.take()).isEmpty();
        Files.writeString(log.file(), "x".repeat(5000));
        log.configure("its configuration");
        assertThat(log.configuration()).hasContent("its configuration");
        assertThat(log.take()).hasSize(4096);
        assertThat(directory).isEmptyDirectory();
        var left = JailLog.in(directory);
        Files.writeString(left.file(), "left by an earlier run");
        left.configure("this, too");
        JailLog.sweep(directory);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void tellsFailuresFromWarnings() {
        assertThat(JailLog.tellsFailure("[W][2026] runs as root")).isFalse();
        assertThat(JailLog.tellsFailure("[W][2026] open()\n[E][2026] no mount")).isTrue();
        assertThat(JailLog.tellsFailure("[F][2026] no child")).isTrue();
        assertThat(JailLog.tellsFailure("")).isFalse();
    }

    @Test
    @NeedsProgram(Program.NSJAIL)
    @DisplayName("TEN-17: nsjail's errors reach the operator, not the server's output")
    void reachesTheOperator() throws Exception {
        var seen = Files.createDirectory(directory.resolve("seen"));
        var caches = directory.resolve("caches");
        var settings = Map.of("isolation.read-only-paths", seen.toString());
        try (var said = new LoggedEvents(JailIsolation.class);
                var jails = Jails.open(caches, JailKind.NSJAIL.with(settings))) {
            assertThat(jails.shell("echo well").told()).isEqualTo("well\n");
            Files.delete(seen);

            var failed = jails.shell("echo never");
            assertThat(failed.told()).isEmpty();
            assertThat(failed.heard().awaitExit().clean()).isFalse();
            await().atMost(RecordingListener.PATIENCE).until(() -> !said.events().isEmpty());
            assertThat(said.events())
                    .singleElement()
                    .satisfies(
                            event -> {
                                assertThat(event.getMessage())
                                        .isEqualTo("A jail could not be made");
                                assertThat(event.getKeyValuePairs().toString())
                                        .contains("team_id=\"team\"", seen.toString())
                                        .contains("No such file or directory");
                            });
        }
        try (var logs = Files.walk(caches.resolve("~jails"))) {
            assertThat(logs).noneMatch(file -> file.toString().contains(".log"));
        }
    }
}
