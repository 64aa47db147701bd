package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.admin.HostMemory.Amount;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HostMemoryTest {
    @TempDir Path root;

    @BeforeEach
    void machine() throws IOException {
        write("proc/meminfo", "MemTotal:       4096 kB\nMemFree:  1 kB\nMemAvailable:   1024 kB\n");
        write("proc/self/cgroup", "2:memory:/old\n0::/a/b\n");
    }

    @Test
    void isThatOfTheGroupThatHasALimit() throws IOException {
        group("3000000", "1000000", "anon 5\ninactive_file 500000\n");

        assertThat(new HostMemory(root).now()).isEqualTo(new Amount(2_500_000, 3_000_000));
    }

    @Test
    void isThatOfTheGroupThatTheWorkerMovedDownIn() throws IOException {
        group("max", "900000", "anon 5\ninactive_file 400000\n");
        write("sys/fs/cgroup/a/memory.max", "3000000\n");
        write("sys/fs/cgroup/a/memory.current", "1000000\n");
        write("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 500000\n");

        assertThat(new HostMemory(root).now()).isEqualTo(new Amount(2_500_000, 3_000_000));
    }

    @Test
    void isThatOfTheMachineWithoutALimit() throws IOException {
        group("max", "1000000", "inactive_file 500000\n");

        assertThat(new HostMemory(root).now()).isEqualTo(new Amount(1 << 20, 4 << 20));
    }

    @Test
    void isThatOfTheMachineWithoutGroups() {
        assertThat(new HostMemory(root).now()).isEqualTo(new Amount(1 << 20, 4 << 20));
    }

    @Test
    void isUnknownElsewhere() {
        assertThat(new HostMemory(root.resolve("none")).now()).isEqualTo(Amount.UNKNOWN);
    }

    @Test
    void isStillToldAfterGarbageWasCollected() {
        var registry = new SimpleMeterRegistry();
        new HostMemory(root).register(registry);

        System.gc();

        assertThat(registry.get("perigee.worker.host.memory.available").gauge().value())
                .isEqualTo(1 << 20);
        assertThat(registry.get("perigee.worker.host.memory.limit").gauge().value())
                .isEqualTo(4 << 20);
    }

    private void group(String max, String current, String stat) throws IOException {
        write("sys/fs/cgroup/a/b/memory.max", max + "\n");
        write("sys/fs/cgroup/a/b/memory.current", current + "\n");
        write("sys/fs/cgroup/a/b/memory.stat", stat);
    }

    private void write(String file, String content) throws IOException {
        var path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content);
    }
}
