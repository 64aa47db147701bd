package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("RPL-06: perigee bisect")
final class BisectCommandTest {
    private static CliRun bisect(String... more) {
        var arguments = new ArrayList<>(List.of("bisect", "/nowhere/day.recording"));
        arguments.addAll(List.of("--to", "127.0.0.1:1"));
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }

    @Test
    @DisplayName("refuses what it cannot search, with what to write instead")
    void refuses() {
        assertThat(bisect().err()).contains("--package", "--second");
        assertThat(bisect("--package", "--x", "--good", "1", "--bad", "2").exitCode())
                .isEqualTo(64);
        assertThat(bisect("--package", "../x", "--good", "1", "--bad", "2").err())
                .contains("is no name of a package");
        assertThat(bisect("--second", "127.0.0.1:2", "--good", "1").err())
                .contains("leave --package");
        var one = bisect("--package", "x", "--good", "1", "--bad", "1", "--versions", "1,2");
        assertThat(one.exitCode()).isEqualTo(64);
        assertThat(one.err()).contains("are one version");
        var gone = bisect("--package", "x", "--good", "1", "--bad", "2", "--versions", "1,2");
        assertThat(gone.exitCode()).isEqualTo(64);
        assertThat(gone.err()).contains("is not there: make it");
    }

    @Test
    @DisplayName("does not take two trials without a call for equal ones")
    void nothingCompared(@TempDir Path folder) {
        var noon = Instant.parse("2026-11-20T12:00:00Z");
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION, "1", "fleet/mcp.", 1, noon, noon, noon);
        for (var name : List.of("good", "bad")) {
            try (var writer = new RecordingWriter(folder.resolve(name), header)) {
                writer.finish();
            }
        }

        assertThatThrownBy(
                        () ->
                                new BisectTrials()
                                        .compare(folder.resolve("good"), folder.resolve("bad")))
                .hasMessageContaining("No command and no request was replayed");
    }

    @Test
    @DisplayName("leaves nothing in the folder for temporary files, and keeps what it is to keep")
    void folders(@TempDir Path folder) throws Exception {
        var kept = new BisectTrials.Folder(folder, true);
        var removed = new BisectTrials.Folder(folder.resolve("trials"), false);
        Files.createDirectory(removed.path());
        Files.writeString(removed.path().resolve("good.recording"), "");
        removed.close();
        kept.close();
        assertThat(removed.path()).doesNotExist();
        assertThat(kept.path()).exists();
    }

    @Test
    @DisplayName("takes versions in their order, and those made for trial only when they are named")
    void versions() {
        var all = List.of("0.9.0", "1.0.0", "1.1.0-beta.1", "1.1.0", "2.0.0-rc.1", "2.0.0");
        assertThat(PublishedVersions.narrowed(all, "x", "1.0.0", "2.0.0"))
                .containsExactly("1.0.0", "1.1.0", "2.0.0");
        assertThat(PublishedVersions.narrowed(all, "x", "1.0.0", "2.0.0-rc.1"))
                .containsExactly("1.0.0", "1.1.0", "2.0.0-rc.1");
        assertThatThrownBy(() -> PublishedVersions.narrowed(all, "x", "1.0.0", "3.0.0"))
                .hasMessageContaining("has no version 3.0.0");
        assertThatThrownBy(() -> PublishedVersions.narrowed(all, "x", "2.0.0", "1.0.0"))
                .hasMessageContaining("is older than 2.0.0");
    }
}
