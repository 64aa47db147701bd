package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.Skipped;
import dev.perigee.worker.process.isolation.Home.OfInstallation;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("TEN-04: the ids of homes")
final class HomeIdsTest {
    private static final IdRange RANGE = new IdRange(50_000, 50_002);

    @TempDir private Path root;
    private CacheLayout layout = new CacheLayout(Path.of("unused"));
    private Instant now = Instant.now();

    @BeforeEach
    void needsRoot() {
        if (FileOwner.own() != 0) {
            Skipped.because("needs root", "ROOT_REQUIRED");
        }
        layout = new CacheLayout(root);
    }

    private HomeIds worker() {
        return new HomeIds(RANGE, layout, () -> now);
    }

    private Path home(String user) {
        return layout.home(new OfInstallation("t", user, "i"), ServerRuntime.NODE);
    }

    /** As a jail does it before it runs. */
    private int give(HomeIds ids, Path home) throws Exception {
        int id = ids.of(home);
        Files.setAttribute(home, "unix:uid", id);
        return id;
    }

    @Test
    void areDifferentAlsoOfTwoWorkersThatShareADirectory() throws Exception {
        var first = worker();
        var second = worker();
        assertThat(give(first, home("a"))).isEqualTo(50_001);
        assertThat(give(second, home("b"))).isEqualTo(50_002);
        assertThat(second.of(home("a"))).isEqualTo(50_001);
    }

    @Test
    void areTheSameForProgramsThatBeginTogether() {
        var ids = worker();
        assertThat(ids.of(home("a"))).isEqualTo(ids.of(home("a"))).isNotEqualTo(ids.of(home("b")));
    }

    @Test
    void areTakenBeforeTheirHomeHasThem() {
        var first = worker();
        assertThat(first.of(home("a"))).isEqualTo(50_001);
        assertThat(worker().of(home("b"))).isEqualTo(50_002);
    }

    @Test
    void areGivenBackWhenTheirHomeIsDeletedNotWhenItIsDiscarded() throws Exception {
        var ids = worker();
        give(ids, home("a"));
        give(ids, home("b"));
        now = now.plus(Duration.ofHours(1));
        assertThatThrownBy(() -> ids.of(home("c")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("All 2 ids of isolation.ids=50000-50002 are taken");

        layout.discard(new OfInstallation("t", "a", "i"));
        now = now.plus(Duration.ofHours(1));
        assertThatThrownBy(() -> ids.of(home("c"))).hasMessageContaining("All 2 ids");

        try (var gone = Files.list(layout.gone())) {
            var installation = gone.findFirst().orElseThrow();
            Files.delete(installation.resolve("node"));
        }
        now = now.plus(Duration.ofHours(1));
        assertThat(ids.of(home("c"))).isEqualTo(50_001);
    }

    @Test
    void areNotRememberedForAHomeThatHasIts() throws Exception {
        var ids = worker();
        int first = give(ids, home("a"));
        assertThat(ids.of(home("a"))).isEqualTo(first);
        // As if a home of the same number on the disk had come in its place.
        Files.setAttribute(home("a"), "unix:uid", FileOwner.own());
        assertThat(ids.of(home("a"))).isNotEqualTo(first);
    }

    @Test
    void areNotRememberedOnceTheyAreGivenBack() throws Exception {
        var ids = worker();
        int unused = ids.of(home("a"));
        int used = give(ids, home("b"));
        now = now.plus(Duration.ofHours(1));
        assertThat(give(ids, home("c"))).isEqualTo(unused);
        assertThatThrownBy(() -> ids.of(home("a")))
                .hasMessageContaining("All 2 ids of isolation.ids=50000-50002 are taken");
        assertThat(used).isNotEqualTo(unused);
    }

    @Test
    void thatWereTakenAMomentAgoStay() {
        var ids = worker();
        ids.of(home("a"));
        ids.of(home("b"));
        assertThatThrownBy(() -> ids.of(home("c"))).hasMessageContaining("All 2 ids");
    }

    @Test
    void ofTheWorkersOwnProgramsAreTheFirst() throws Exception {
        var ids = worker();
        assertThat(ids.ofWorker(layout.probe())).isEqualTo(50_000);
        var home = home("a");
        int id = give(ids, home);
        assertThat(ids.ofWorker(home)).isEqualTo(id);
    }
}
