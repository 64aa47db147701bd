package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("What stays free on the disk of all servers")
final class DiskReserveTest {
    @TempDir private Path directory;

    @Test
    @DisplayName("is a twentieth of it, 1 GiB at most, unless it is configured")
    void usual() {
        assertThat(DiskReserve.usual(10L << 30)).isEqualTo(512 << 20);
        assertThat(DiskReserve.usual(1L << 40)).isEqualTo(1 << 30);
        assertThat(DiskReserve.usual(0)).isZero();
        assertThat(DiskReserve.of(directory, 7L).bytes()).isEqualTo(7);
        assertThat(DiskReserve.of(directory, 0L)).isEqualTo(DiskReserve.NONE);
        assertThat(DiskReserve.of(directory, null).bytes()).isPositive();
    }

    @Test
    @DisplayName("is a twentieth of its inodes, too, 100,000 at most, where it has a fixed number")
    void inodes() {
        assertThat(DiskReserve.usualFiles(65_536)).isEqualTo(3276);
        assertThat(DiskReserve.usualFiles(1L << 40)).isEqualTo(100_000);
        assertThat(DiskReserve.usualFiles(0)).isZero();
        assertThat(DiskReserve.of(directory, 7L).freeFiles().getAsLong()).isPositive();
        var few = new DiskReserve(() -> 9, 9, () -> 8, 9);
        assertThat(few.refusal()).contains("8 more files can be made", "9 are to stay free");
        assertThat(new DiskReserve(() -> 9, 9, () -> 9, 9).isKept()).isTrue();
        assertThat(new DiskReserve(() -> 9, 9, () -> 0, 0).isKept()).isTrue();
        assertThat(new FreeFiles().free("/" + "x".repeat(300))).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("is asked of the file system, also before the directory is there")
    void asks() {
        var later = directory.resolve("not").resolve("there");
        assertThat(DiskReserve.of(later, 1L).isKept()).isTrue();
        assertThat(DiskReserve.of(later, Long.MAX_VALUE).isKept()).isFalse();
        assertThat(DiskReserve.NONE.isKept()).isTrue();
    }
}
