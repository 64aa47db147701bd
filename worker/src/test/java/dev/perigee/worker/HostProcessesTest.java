package dev.perigee.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The least of what limits the processes of a machine, and of a container on it. */
final class HostProcessesTest {
    @TempDir private Path root;

    private void write(String file, String content) throws IOException {
        var path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content + "\n");
    }

    private long most() {
        return new HostProcesses(root).most();
    }

    @Test
    void areThoseOfTheKernel() throws IOException {
        assertThat(most()).isEqualTo(HostProcesses.UNKNOWN);
        write("proc/sys/kernel/threads-max", "190000");
        assertThat(most()).isEqualTo(190_000);
        write("proc/sys/kernel/pid_max", "32768");
        assertThat(most()).isEqualTo(32_768);
    }

    @Test
    void areThoseOfTheGroupsThatTheWorkerIsIn() throws IOException {
        write("proc/sys/kernel/pid_max", "32768");
        write("proc/self/cgroup", "8:pids:/a\n0::/slice/unit");
        write("sys/fs/cgroup/slice/unit/pids.max", "max");
        write("sys/fs/cgroup/other/pids.max", "1");
        assertThat(most()).isEqualTo(32_768);
        write("sys/fs/cgroup/pids/a/pids.max", "5000");
        assertThat(most()).isEqualTo(5000);
        write("sys/fs/cgroup/slice/pids.max", "4000");
        assertThat(most()).isEqualTo(4000);
    }

    @Test
    void areThoseOfAContainerThatSeesItsGroupAsTheTop() throws IOException {
        write("proc/self/cgroup", "8:pids:/docker/1234\n0::/../outside");
        write("sys/fs/cgroup/pids/pids.max", "300");
        assertThat(most()).isEqualTo(300);
    }

    @Test
    void areKnownHere() {
        assertThat(new HostProcesses(Path.of("/")).most()).isBetween(1L, (long) Integer.MAX_VALUE);
    }

    @Test
    @DisplayName("of this machine are more than the first digit of what the kernel tells")
    void readsThisMachine() {
        assertThat(new HostProcesses(Path.of("/")).most()).isGreaterThan(300);
    }
}
