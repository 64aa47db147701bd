package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Installations in the cache directory")
final class PackageStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    @TempDir Path packages;
    private PackageStore store = new PackageStore(Path.of("unused"), Path.of("unused"), "unused");

    @BeforeEach
    void open() {
        store = new PackageStore(packages, packages, "key");
    }

    private PackageStore.Installed install(Instant at) throws IOException {
        return store.publish(store.draft(), at);
    }

    @Test
    @DisplayName("What a killed worker left half-made is not used, and removed some time later")
    void ignoresTheIncomplete() throws IOException {
        var draft = store.draft();

        assertThat(draft.making()).isEmptyDirectory();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(draft.home())))
                .isEqualTo("rwx------");
        assertThat(store.newest()).isNull();
        assertThat(store.disused(Duration.ZERO, Instant.now())).isEmpty();

        Files.setLastModifiedTime(
                draft.directory(), FileTime.from(Instant.now().minusSeconds(100_000)));
        assertThat(store.disused(Duration.ZERO, Instant.now())).containsExactly(draft.directory());
    }

    @Test
    @DisplayName("Two workers that share a cache both succeed, and the newest counts")
    void servesSeveralWorkers() throws IOException {
        var other = new PackageStore(packages, packages, "key");
        var mine = store.draft();
        var others = other.draft();

        var first = store.publish(mine, NOW);
        var second = other.publish(others, NOW.plusSeconds(1));

        assertThat(store.newest()).isEqualTo(second);
        assertThat(other.newest()).isEqualTo(second);
        assertThat(first.made()).isDirectory();
        assertThat(second.made()).isEqualTo(others.directory().resolve("made"));
    }

    @Test
    @DisplayName("TEN-02: a link in the place of an installation is none")
    void followsNoLink(@TempDir Path elsewhere) throws IOException {
        var installed = install(NOW);
        var theirs = Files.createDirectory(elsewhere.resolve("made"));
        Files.delete(installed.made());
        Files.createSymbolicLink(installed.made(), theirs);
        var before = Files.getLastModifiedTime(theirs);

        assertThat(store.newest()).isNull();
        assertThatThrownBy(() -> store.confirm(installed, NOW)).isInstanceOf(IOException.class);
        assertThat(Files.getLastModifiedTime(theirs)).isEqualTo(before);
    }

    @Test
    @DisplayName("A replaced installation is kept for the processes that run it")
    void keepsTheReplaced() throws IOException {
        var old = install(NOW.minusSeconds(1_000_000));
        var newer = install(NOW.plusSeconds(60));
        var keep = Duration.ofHours(1);

        assertThat(store.disused(keep, NOW.plusSeconds(3600))).isEmpty();
        assertThat(store.disused(keep, NOW.plusSeconds(3661))).containsExactly(old.directory());
        assertThat(Objects.requireNonNull(store.newest()).directory()).isEqualTo(newer.directory());

        store.confirm(newer, NOW.plusSeconds(4000));
        assertThat(store.disused(keep, NOW.plusSeconds(4000))).containsExactly(old.directory());
        assertThat(Objects.requireNonNull(store.newest()).since()).isEqualTo(NOW.plusSeconds(4000));
    }
}
