package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The meter beside what the system itself says of real processes. */
@DisplayName("OPS-07: what a real program used")
final class MeteredProcessTest {
    private static final long MEGABYTE = 1 << 20;

    /**
     * Burns for a known time, here and in a child that ends, holds memory, says how much processor
     * time both took, and waits for the end of its input.
     */
    private static final String PROGRAM =
            """
            const burn = (ms) => { while (process.cpuUsage().user + process.cpuUsage().system < ms * 1000); };
            const { spawnSync } = require('node:child_process');
            const spent = () => { const u = process.cpuUsage(); return u.user + u.system; };
            if (process.argv[1] === 'child') { burn(700); console.log(spent()); process.exit(0); }
            const child = Number(spawnSync(process.execPath, ['-e', process.env.PROGRAM, 'child']).stdout);
            const held = Buffer.alloc(100 << 20, 1);
            burn(1500);
            console.log(`spent ${spent() + child} ${held.length}`);
            process.stdin.on('end', () => process.exit(0)).resume();
            """;

    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    private final ProcessTable table = new ProcessTable();
    private final TreeMeter meter = new TreeMeter();
    private final RecordingListener heard = new RecordingListener();
    private long cpuNanos;
    private double byteSeconds;
    private long awakeNanos;

    @AfterEach
    void close() {
        launcher.close();
    }

    /** As an instance's process does it. */
    private final class Metered implements ChildListener {
        @Override
        public void onStdout(ByteBuffer bytes) {
            heard.onStdout(bytes);
        }

        @Override
        public void onStderr(ByteBuffer bytes) {
            heard.onStderr(bytes);
        }

        @Override
        public void onEnding(long pid) {
            meter.end(pid);
        }

        @Override
        public void onExit(ExitStatus status) {
            meter.end();
            heard.onExit(status);
        }

        @Override
        public void onClosed() {
            heard.onClosed();
        }
    }

    private ChildProcess start(@Nullable Path group) throws LaunchException {
        var node = List.of("node", "-e", PROGRAM, "parent");
        var command =
                group == null
                        ? node
                        : Stream.concat(
                                        Stream.of(
                                                "sh",
                                                "-c",
                                                "echo $$ > \"$0\" && exec \"$@\"",
                                                group.resolve("cgroup.procs").toString()),
                                        node.stream())
                                .toList();
        var environment =
                Map.of("PATH", Objects.requireNonNull(System.getenv("PATH")), "PROGRAM", PROGRAM);
        meter.starting(group == null ? null : new Group(group));
        var child = launcher.launch(new LaunchSpec(command, environment, null), new Metered());
        meter.begin(child.tree());
        return child;
    }

    private void look() {
        TreeMeter.look(List.of(meter), table);
        take();
    }

    private void take() {
        var use = meter.take();
        cpuNanos += use.cpuNanos();
        byteSeconds += use.memoryByteSeconds();
        awakeNanos += use.awakeNanos();
    }

    private void awaitSaid() {
        await().atMost(RecordingListener.PATIENCE).until(() -> heard.stdout().contains("\n"));
    }

    private void end(ChildProcess child) {
        child.closeStdin();
        heard.awaitClosed();
        take();
    }

    /** In nanoseconds, by the program itself. */
    private double told() {
        return Double.parseDouble(heard.stdout().split(" ")[1]) * 1000;
    }

    @Test
    @DisplayName("is within 5 % of what it says itself, ended children too")
    void agreesWithTheProgram() throws Exception {
        var child = start(null);
        await().atMost(RecordingListener.PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () -> {
                            look();
                            return heard.stdout().contains("\n");
                        });
        end(child);

        assertThat(cpuNanos / told()).isBetween(0.95, 1.05);
    }

    @Test
    @DisplayName("is within 5 % of that where it ended before it was ever looked at")
    void isKnownAtItsEnd() throws Exception {
        var child = start(null);
        awaitSaid();
        end(child);

        assertThat(cpuNanos / told()).isBetween(0.95, 1.05);
        assertThat(byteSeconds).isZero();
    }

    @Test
    @DisplayName("is of memory within 5 % of what the system says of its pages")
    void agreesAboutMemory() throws Exception {
        var child = start(null);
        awaitSaid();
        look();
        byteSeconds = 0;
        awakeNanos = 0;
        long before = anonymous(child.pid());
        long seconds = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        await().pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            look();
                            return System.nanoTime() >= seconds;
                        });
        long after = anonymous(child.pid());
        double average = byteSeconds / (awakeNanos / 1e9);
        end(child);

        assertThat(before).isGreaterThan(100 * MEGABYTE);
        assertThat(average / ((before + after) / 2.0)).isBetween(0.95, 1.05);
    }

    /** What it has mapped and not from files, of /proc/pid/statm (proc_pid_statm(5)). */
    private static long anonymous(long pid) throws IOException {
        var pages = Files.readString(Path.of("/proc", Long.toString(pid), "statm")).split(" ");
        return (Long.parseLong(pages[1]) - Long.parseLong(pages[2])) * PageSize.bytes();
    }

    @Test
    @DisplayName("is what its control group counts, within 5 % of what it says itself")
    void agreesWithTheGroup() throws Exception {
        var group = group();
        Assumptions.assumeTrue(group != null, "skipped: no control group of v2 can be made here");
        try {
            var child = start(group);
            awaitSaid();
            look();
            end(child);
            double counted = new Group(group).cpuNanos();

            // It is collected before it has used the last of its time, on its way out.
            assertThat(cpuNanos / counted).isBetween(0.99, 1.0);
            assertThat(counted / told()).isBetween(0.95, 1.05);
        } finally {
            await().atMost(Duration.ofSeconds(10)).until(() -> removed(group));
        }
    }

    private static boolean removed(Path group) {
        try {
            Files.delete(group);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** One of its own; null where none can be made. */
    private static @Nullable Path group() {
        for (var root : List.of("/sys/fs/cgroup/unified", "/sys/fs/cgroup")) {
            try {
                var group = Path.of(root, "perigee-test-" + UUID.randomUUID());
                if (Files.exists(Path.of(root, "cgroup.controllers"))) {
                    return Files.createDirectory(group);
                }
            } catch (IOException e) {
                // Not ours to make groups in.
            }
        }
        return null;
    }

    private record Group(Path path) implements Enclosure {
        @Override
        public void release() {}

        @Override
        public long cpuNanos() {
            try (var lines = Files.lines(path.resolve("cpu.stat"))) {
                return lines.filter(line -> line.startsWith("usage_usec "))
                        .mapToLong(line -> Long.parseLong(line.split(" ")[1]) * 1000)
                        .findFirst()
                        .orElse(-1);
            } catch (IOException e) {
                return -1;
            }
        }
    }
}
