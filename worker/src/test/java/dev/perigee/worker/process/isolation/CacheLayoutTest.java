package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.process.isolation.Home.OfInstallation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ids are text that others chose. */
@DisplayName("PRO-23, TEN-01: the homes of installations")
final class CacheLayoutTest {
    private static final List<String> ODD =
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
                    "\u00fc".repeat(200));

    @TempDir private Path root;

    private Path home(String team, String user, String installation) {
        return new CacheLayout(root)
                .home(new OfInstallation(team, user, installation), ServerRuntime.NODE);
    }

    @Test
    void areNamedAfterTheInstallation() {
        assertThat(CacheLayout.name("U3h-CfH_8.x")).isEqualTo("U3h-CfH_8.x");
        assertThat(home("t", "u", "i")).isEqualTo(root.resolve("homes/t/u/i/node")).isDirectory();
    }

    @Test
    void lieInTheirPlaceWhateverTheIds() {
        var homes = root.resolve("homes");
        for (var id : ODD) {
            for (var home : List.of(home(id, "u", "i"), home("t", id, "i"), home("t", "u", id))) {
                assertThat(home).as(id).isDirectory();
                assertThat(homes.relativize(home.normalize()).getNameCount()).isEqualTo(4);
            }
        }
    }

    @Test
    void areDifferentForDifferentIds() {
        var ids =
                Stream.concat(ODD.stream(), Stream.of("%2E", "%2E.", "a", "a.", "a%20b", "a b"))
                        .toList();
        assertThat(ids.stream().map(CacheLayout::name)).doesNotHaveDuplicates();
        assertThat(ids.stream().map(CacheLayout::name)).allMatch(name -> name.length() < 200);
    }

    @Test
    void areTheirOwnersOnlyAndWhatIsAboveThemCannotBeListed() throws Exception {
        var home = home("t", "u", "i");
        assertThat(permissions(home)).isEqualTo("rwx------");
        for (var at = parent(home); at.startsWith(root); at = parent(at)) {
            assertThat(permissions(at)).isEqualTo("rwx--x--x");
        }
    }

    @Test
    @DisplayName("TEN-04: directories of an earlier version let the owners of homes pass, too")
    void arePassable() throws Exception {
        var installation = parent(home("t", "u", "i"));
        Files.setPosixFilePermissions(installation, PosixFilePermissions.fromString("rwx------"));
        home("t", "u", "i");
        assertThat(permissions(installation)).isEqualTo("rwx--x--x");
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    @DisplayName("TEN-01: what is discarded is another installation's no more, nor the next one's")
    void areDiscarded() throws Exception {
        var layout = new CacheLayout(root);
        Files.writeString(home("t", "u", "i").resolve("secret"), "old");
        Files.writeString(home("t", "u", "other").resolve("kept"), "");

        assertThat(layout.discard(new OfInstallation("t", "u", "i"))).isTrue();
        assertThat(layout.discard(new OfInstallation("t", "u", "i"))).isFalse();

        assertThat(home("t", "u", "i")).isEmptyDirectory();
        assertThat(home("t", "u", "other").resolve("kept")).exists();
        try (var gone = Files.walk(layout.gone())) {
            assertThat(gone.map(path -> path.getFileName().toString())).contains("secret");
        }
    }
}
