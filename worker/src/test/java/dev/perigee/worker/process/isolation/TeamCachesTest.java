package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Team ids are text that others chose. */
@DisplayName("PRO-23: the caches of teams")
final class TeamCachesTest {

    @TempDir private Path root;

    @Test
    void areNamedAfterTheTeam() {
        assertThat(TeamCaches.name("U3h-CfH_8.x")).isEqualTo("U3h-CfH_8.x");
        assertThat(new TeamCaches(root).directory(ServerRuntime.PYTHON, "t1"))
                .isEqualTo(root.resolve("python/t1"));
    }

    @Test
    void liesBelowItsRuntimeWhateverTheId() {
        for (var id :
                List.of(
                        ".",
                        "..",
                        "../x",
                        "~probe",
                        "a\0b",
                        "\u00e4",
                        "%",
                        " ",
                        "*",
                        "\n",
                        "x".repeat(200),
                        "\u00fc".repeat(200))) {
            var directory = new TeamCaches(root).directory(ServerRuntime.NODE, id);
            assertThat(directory.normalize().getParent()).as(id).isEqualTo(root.resolve("node"));
            assertThat(directory).isDirectory();
        }
    }

    @Test
    void areDifferentForDifferentTeams() {
        var ids =
                List.of(
                        ".",
                        "..",
                        "%2E",
                        "%2E.",
                        "a",
                        "a.",
                        "a%20b",
                        "a b",
                        "\u00fc".repeat(199) + "a",
                        "\u00fc".repeat(199) + "b",
                        "\u00fc".repeat(200));
        assertThat(ids.stream().map(TeamCaches::name)).doesNotHaveDuplicates();
        assertThat(ids.stream().map(TeamCaches::name)).allMatch(name -> name.length() < 200);
    }

    @Test
    void areTheWorkersOnly() throws Exception {
        var directory = new TeamCaches(root).directory(ServerRuntime.NODE, "t1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
    }
}
