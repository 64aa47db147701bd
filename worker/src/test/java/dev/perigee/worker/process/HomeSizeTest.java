package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a home holds, however its server arranged it. */
final class HomeSizeTest {
    @TempDir private Path home;

    private static @Nullable HomeSize measure(Path home) {
        return HomeSize.measure(home, 1 << 20, 100);
    }

    @Test
    void countsFilesInWholeBlocksAndDirectories() throws Exception {
        Files.createDirectories(home.resolve("a/b"));
        Files.write(home.resolve("a/b/file"), new byte[5000]);
        Files.write(home.resolve("empty"), new byte[0]);
        assertThat(measure(home)).isEqualTo(new HomeSize(4 * HomeSize.BLOCK_BYTES, 4, false, true));
    }

    @Test
    @DisplayName("TEN-09: counts a directory as large as it is, also when it is empty again")
    void countsDirectories() throws Exception {
        var directory = Files.createDirectory(home.resolve("directory"));
        for (int number = 0; number < 400; number++) {
            Files.createFile(directory.resolve("x".repeat(200) + number));
        }
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        long size = Math.max(HomeSize.BLOCK_BYTES, Files.size(directory));
        var measured = HomeSize.measure(home, 0, 0);
        assertThat(measured).isNotNull();
        assertThat(measured.bytes()).isBetween(size, size + HomeSize.BLOCK_BYTES - 1);
    }

    @Test
    void followsNoLink() throws Exception {
        var other = Files.createDirectory(home.resolve("other"));
        Files.write(other.resolve("large"), new byte[100_000]);
        var own = Files.createDirectory(home.resolve("own"));
        Files.createSymbolicLink(own.resolve("other"), other);
        Files.createSymbolicLink(own.resolve("self"), own);
        var size = measure(own);
        assertThat(size).isNotNull();
        assertThat(size.bytes()).isLessThan(100_000);
        assertThat(size.files()).isEqualTo(2);
    }

    @Test
    void endsWhereALimitIsPassed() throws Exception {
        for (var number = 0; number < 50; number++) {
            Files.createDirectory(home.resolve("d" + number));
        }
        assertThat(HomeSize.measure(home, 0, 10))
                .isEqualTo(new HomeSize(11 * HomeSize.BLOCK_BYTES, 11, false, false));
        assertThat(HomeSize.measure(home, 3 * HomeSize.BLOCK_BYTES, 0))
                .isEqualTo(new HomeSize(4 * HomeSize.BLOCK_BYTES, 4, false, false));
    }

    @Test
    void directoriesThatAreNestedTooDeepAreNotEntered() throws Exception {
        var deep = home;
        for (var level = 0; level <= HomeSize.DEEPEST; level++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        var size = HomeSize.measure(home, 0, 1000);
        assertThat(size).isNotNull();
        assertThat(size.tooDeep()).isTrue();
    }

    @Test
    void aHomeThatIsNotThereIsNotMeasured() throws IOException {
        assertThat(measure(home.resolve("none"))).isNull();
        assertThat(measure(Files.createFile(home.resolve("file")))).isNull();
    }
}
