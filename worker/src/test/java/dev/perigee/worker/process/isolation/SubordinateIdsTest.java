package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("TEN-04: A worker without ids to give says the command that mends it")
final class SubordinateIdsTest {
    private static final String START =
            "start it by scripts/perigee worker or by unshare --user --map-root-user --map-auto";

    @TempDir private Path directory;

    @BeforeEach
    void install() throws Exception {
        put("newuidmap", "");
        put("status", "Name:\tjava\nNoNewPrivs:\t0\n");
    }

    private void put(String name, String content) throws Exception {
        Files.writeString(directory.resolve(name), content);
    }

    private String advice() {
        return new SubordinateIds("worker", 998, directory, List.of(directory), directory).advice();
    }

    @Test
    void whereItsUserHasNone() throws Exception {
        assertThat(advice())
                .isEqualTo(
                        "usermod --add-subuids 100000-165535 --add-subgids 100000-165535 worker"
                                + " as root, and "
                                + START);
        put("subuid", "alice:100000:65536\nno line\nworker:700000:9\n");
        put("subgid", "alice:800000:65536\n998:100000:65536\n");
        assertThat(advice())
                .isEqualTo("usermod --add-subuids 865536-931071 worker as root, and " + START);
    }

    @Test
    void whereItsUserHasThem() throws Exception {
        put("subuid", "worker:100000:65536\n");
        put("subgid", "998:100000:65536\n");
        assertThat(advice()).isEqualTo(START);
        Files.delete(directory.resolve("newuidmap"));
        assertThat(advice()).isEqualTo("apt-get install uidmap as root, and " + START);
    }

    @Test
    void whereTheyAreOfNoUse() throws Exception {
        put("status", "NoNewPrivs:\t1\n");
        assertThat(advice()).isEqualTo("run it as root of a container with users of its own");
    }
}
