package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.process.RemovedFiles.Found;
import dev.perigee.worker.process.RemovedFiles.Most;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This process holds the files. */
@DisplayName("TEN-09: removed files")
final class RemovedFilesTest {
    private static final int BYTES = 1 << 20;

    @TempDir private Path home;

    private Found found(Most most) {
        var own = Objects.requireNonNull(ProcStat.read(ProcessHandle.current().pid()));
        return RemovedFiles.of(List.of(new ProcessEntry(own, null, null, false)), home, most);
    }

    /** Other tests' files may come and go. */
    private long foundBytes() {
        return found(Most.USUAL).bytes();
    }

    private FileChannel open(String name) throws IOException {
        var file = Files.write(home.resolve(name), new byte[BYTES]);
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    @Test
    @DisplayName("count while they are open, and not before they are removed")
    void open() throws Exception {
        long before = foundBytes();
        try (var file = open("open")) {
            assertThat(foundBytes()).isLessThan(before + BYTES);
            Files.delete(home.resolve("open"));
            assertThat(file.isOpen()).isTrue();
            assertThat(foundBytes()).isGreaterThanOrEqualTo(before + BYTES);
        }
    }

    @Test
    @DisplayName("count while they are mapped, whatever they are called")
    void mapped() throws Exception {
        var name = "mapped\rby none";
        long before = foundBytes();
        try (var memory = Arena.ofConfined()) {
            try (var file = open(name)) {
                assertThat(file.map(MapMode.READ_ONLY, 0, BYTES, memory).byteSize())
                        .isEqualTo(BYTES);
            }
            assertThat(foundBytes()).isLessThan(before + BYTES);
            Files.delete(home.resolve(name));
            assertThat(foundBytes()).isGreaterThanOrEqualTo(before + BYTES);
        }
    }

    @Test
    @DisplayName("are more than can be counted where a tree has very many open or mapped")
    void tooMany() {
        assertThat(found(Most.USUAL).complete()).isTrue();
        assertThat(found(new Most(3, 100_000_000)).complete()).isFalse();
        assertThat(found(new Most(100_000, 500)).complete()).isFalse();
    }
}
