package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

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
