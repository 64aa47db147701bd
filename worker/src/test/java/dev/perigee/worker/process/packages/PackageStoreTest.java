package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.worker.process.isolation.CacheDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Installations in a team's cache")
final class PackageStoreTest {
    private static final Path INSIDE = Path.of("/home/node");
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    @TempDir Path host;
    private PackageStore store = new PackageStore(new CacheDirectory(INSIDE, INSIDE), "unused");

    @BeforeEach
    void open() {
        store = new PackageStore(new CacheDirectory(host, INSIDE), "key");
    }

    private PackageStore.Installed install(Instant at) throws IOException {
        var draft = store.draft();
        Files.createDirectories(draft.hostMaking());
        return store.publish(draft, at);
    }

    @Test
    @DisplayName("What a killed worker left half-made is not used, and removed some time later")
    void ignoresTheIncomplete() throws IOException {
        var draft = store.draft();
        Files.createDirectories(draft.hostMaking());

        assertThat(draft.making()).isEqualTo(store.whole(draft.id()).resolve("making"));
        assertThat(draft.making().startsWith(INSIDE)).isTrue();
        assertThat(store.newest()).isNull();
        assertThat(store.disused(Duration.ZERO, Instant.now())).isEmpty();

        Files.setLastModifiedTime(
                Objects.requireNonNull(draft.hostMaking().getParent()),
                FileTime.from(Instant.now().minusSeconds(100_000)));
        assertThat(store.disused(Duration.ZERO, Instant.now()))
                .containsExactly(store.whole(draft.id()));
    }

    @Test
    @DisplayName("Two workers that share a cache both succeed, and the newest counts")
    void servesSeveralWorkers() throws IOException {
        var other = new PackageStore(new CacheDirectory(host, INSIDE), "key");
        var mine = store.draft();
        var others = other.draft();
        Files.createDirectories(mine.hostMaking());
        Files.createDirectories(others.hostMaking());

        var first = store.publish(mine, NOW);
        var second = other.publish(others, NOW.plusSeconds(1));

        assertThat(store.newest()).isEqualTo(second);
        assertThat(other.newest()).isEqualTo(second);
        assertThat(first.host()).isDirectory();
        assertThat(second.inside()).isEqualTo(other.whole(second.id()).resolve("made"));
    }

    @Test
    @DisplayName(
            "PRO-23: Links that a team's programs put into its cache lead to nothing elsewhere")
    void followsNoLinkElsewhere(@TempDir Path elsewhere) throws IOException {
        var theirs = Files.createDirectories(elsewhere.resolve("key/id/made"));
        Files.createSymbolicLink(host.resolve("perigee-packages"), elsewhere);
        assertThat(store.newest()).isNull();
        assertThat(store.disused(Duration.ZERO, Instant.now().plusSeconds(100_000))).isEmpty();
        Files.delete(host.resolve("perigee-packages"));

        var installed = install(NOW);
        var draft = store.draft();
        var at = Objects.requireNonNull(draft.hostMaking().getParent());
        Files.createDirectories(theirs.resolveSibling("making"));
        Files.createSymbolicLink(at, theirs.getParent());
        assertThatThrownBy(() -> store.publish(draft, NOW)).isInstanceOf(IOException.class);
        assertThat(theirs.resolveSibling("making")).isDirectory();

        Files.move(installed.host(), installed.host().resolveSibling("away"));
        Files.createSymbolicLink(installed.host(), theirs);
        var before = Files.getLastModifiedTime(theirs);
        assertThatThrownBy(() -> store.confirm(installed, NOW)).isInstanceOf(IOException.class);
        assertThat(Files.getLastModifiedTime(theirs)).isEqualTo(before);
    }

    @Test
    @DisplayName("Directories that a team's programs make without end are not all looked at")
    void looksAtSoMany() throws IOException {
        var at = host.resolve("perigee-packages/key");
        install(NOW);
        for (int number = 0; number < 1000; number++) {
            Files.createDirectory(at.resolve("useless-" + number));
        }
        assertThat(store.disused(Duration.ZERO, Instant.now().plusSeconds(100_000)))
                .hasSizeBetween(400, 500);
    }

    @Test
    @DisplayName("A replaced installation is kept for the processes that run it")
    void keepsTheReplaced() throws IOException {
        var old = install(NOW.minusSeconds(1_000_000));
        var newer = install(NOW.plusSeconds(60));
        var keep = Duration.ofHours(1);

        assertThat(store.disused(keep, NOW.plusSeconds(3600))).isEmpty();
        assertThat(store.disused(keep, NOW.plusSeconds(3661)))
                .containsExactly(store.whole(old.id()));
        assertThat(Objects.requireNonNull(store.newest()).id()).isEqualTo(newer.id());

        store.confirm(newer, NOW.plusSeconds(4000));
        assertThat(store.disused(keep, NOW.plusSeconds(4000)))
                .containsExactly(store.whole(old.id()));
        assertThat(Objects.requireNonNull(store.newest()).since()).isEqualTo(NOW.plusSeconds(4000));
    }
}
