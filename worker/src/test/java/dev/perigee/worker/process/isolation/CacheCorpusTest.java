package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.corpus.Corpus;
import dev.perigee.worker.process.isolation.Home.OfInstallation;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("DEP-08: a worker finds the files of versions before in their places")
final class CacheCorpusTest {
    @TempDir private Path root;

    @Test
    void findsWhatEveryVersionKept() {
        assertThat(corpus().unread()).isEmpty();
    }

    @Test
    void hasAnEntryForWhereFilesAreNow() {
        assertThat(corpus().changes()).isEmpty();
    }

    private Corpus corpus() {
        var layout = new CacheLayout(root);
        var home = new OfInstallation("team", "a user", "\u00e4".repeat(100));
        var places = new TreeMap<String, String>();
        Arrays.stream(ServerRuntime.values())
                .forEach(
                        runtime ->
                                places.put(
                                        "home of " + runtime.wireName(),
                                        place(layout.home(home, runtime))));
        places.put("packages", place(layout.packages()));
        places.put("ids", place(layout.ids()));
        places.put("discarded homes", place(layout.gone()));
        var corpus = new Corpus("cache");
        var now = Corpus.bytes(places);
        corpus.add("places", now, _ -> now);
        return corpus;
    }

    private String place(Path path) {
        return root.relativize(path).toString();
    }
}
