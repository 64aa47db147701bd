package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.WorkerStartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What heartbeats and metrics say of real servers that take memory and processor time. */
final class ServersInHeartbeatTest {
    private static final long MIB = 1 << 20;
    private static final long HELD = 160 * MIB;
    private static final String MEMORY = "perigee_worker_servers_memory_bytes";
    private static final String AWAKE = "perigee_worker_servers_awake";
    private static final String WANTED = "perigee_worker_servers_wanted";
    private static final String MEMORY_WANTED = "perigee_worker_servers_memory_wanted_bytes";
    private static final String SECONDS = "perigee_worker_servers_cpu_seconds_total";

    private long offset;

    @TempDir Path directory;

    private static WholeWorker worker(String isolation)
            throws WorkerStartException, InterruptedException {
        return new WholeWorker(Map.of("heartbeat.interval", "300ms", "isolation.mode", isolation));
    }

    /** Both have the process that matters as a grandchild, as servers under npx do. */
    private static ServerConfig hoarder() {
        var script = "const b = Buffer.alloc(%d, 1); setInterval(() => b, 1000)".formatted(HELD);
        return WholeWorker.program("hoarder", "node -e '" + script + "' & wait");
    }

    private static ServerConfig burner(Path pid) {
        return WholeWorker.program(
                "burner", "sh -c 'echo $$ > %s; while :; do :; done' & wait".formatted(pid));
    }

    @Test
    @DisplayName("a heartbeat shows what servers take of the machine, and that they gave it back")
    void showsWhatServersTake() throws Exception {
        try (var worker = worker("none")) {
            var idle = beat(worker, beat -> beat.serversCpuLoad() != null);
            assertThat(idle.serversMemoryBytes()).isZero();
            assertThat(idle.serversProcessCount()).isZero();
            assertHost(idle);

            var full = comesAndGoes(worker);
            assertThat(full.serversProcessCount()).isEqualTo(2);
            assertThat(worker.metric(MEMORY)).isZero();
        }
    }

    @Test
    @NeedsProgram(Program.BUBBLEWRAP)
    @DisplayName("a heartbeat shows what servers take inside their jails")
    void showsWhatJailedServersTake() throws Exception {
        try (var worker = worker("bubblewrap")) {
            var full = comesAndGoes(worker);
            assertThat(full.serversProcessCount()).as("with the jail's own").isGreaterThan(2);
        }
    }

    private Heartbeat comesAndGoes(WholeWorker worker) throws InterruptedException {
        var hoarder = hoarder();
        worker.install(hoarder, ++offset);
        var full = beat(worker, beat -> memory(beat) > HELD);
        assertThat(full.serversMemoryBytes()).isLessThan(HELD + 60 * MIB);

        remove(worker, hoarder);
        // One that is ending has no memory any more, and is a process for a moment yet.
        beat(worker, beat -> memory(beat) == 0 && Objects.equals(beat.serversProcessCount(), 0));
        return full;
    }

    @Test
    @DisplayName("a heartbeat shows the processor time of servers, and that it ended with them")
    void showsWhatServersSpend() throws Exception {
        try (var worker = worker("none")) {
            double before = worker.metric(SECONDS);
            var burner = burner(directory.resolve("pid"));
            worker.install(burner, ++offset);
            WholeWorker.awaitFile(directory.resolve("pid"));
            long pid = Long.parseLong(Files.readString(directory.resolve("pid")).strip());
            beat(worker, beat -> load(beat) > 0);

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> worker.metric(SECONDS) - before > 1.5);
            double least = seconds(pid);
            double shown = worker.metric(SECONDS) - before;
            // Measured up to 150 ms ago; the shells and what else it took to start are within that.
            assertThat(shown).isBetween(least - 0.4, seconds(pid) + 0.4);
            // A reading that was held up shows too much once; to count twice would do so each time.
            double most = 1.4 / Runtime.getRuntime().availableProcessors();
            beat(worker, beat -> load(beat) > 0 && load(beat) < most);

            remove(worker, burner);
            beat(worker, beat -> Objects.equals(beat.serversProcessCount(), 0));
            double spent = worker.metric(SECONDS);
            beat(worker, beat -> load(beat) == 0);
            assertThat(worker.metric(SECONDS) - spent).as("after the end").isLessThan(0.4);
        }
    }

    @Test
    @DisplayName("OPS-12: metrics show what servers want, also one that waits for its restart")
    void showsDemand() throws Exception {
        var settings =
                Map.of(
                        "heartbeat.interval", "300ms",
                        "restart.delays", "10m",
                        "isolation.total-memory", "1073741824");
        try (var worker = new WholeWorker(settings)) {
            assertThat(worker.metric(WANTED)).isZero();
            assertThat(worker.metric(MEMORY_WANTED)).isZero();
            assertThat(worker.metric("perigee_worker_servers_memory_limit_bytes"))
                    .isEqualTo(1 << 30);

            var hoarder = hoarder();
            worker.install(hoarder, ++offset);
            await().atMost(Duration.ofSeconds(60)).until(() -> worker.metric(MEMORY_WANTED) > HELD);
            assertThat(worker.metric(WANTED)).isEqualTo(1);
            assertThat(worker.metric(AWAKE)).isEqualTo(1);

            var crasher =
                    WholeWorker.program(
                            "crasher",
                            "until [ -e %s ]; do sleep 0.1; done; exit 1"
                                    .formatted(directory.resolve("go")));
            worker.install(crasher, ++offset);
            await().atMost(Duration.ofSeconds(60)).until(() -> worker.metric(AWAKE) == 2);
            Files.createFile(directory.resolve("go"));
            await().atMost(Duration.ofSeconds(60)).until(() -> worker.metric(AWAKE) == 1);
            assertThat(worker.metric(WANTED)).isEqualTo(2);
            // The one that is not there counts as much as the one that is.
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> worker.metric(MEMORY_WANTED) > 2 * HELD);

            remove(worker, hoarder);
            remove(worker, crasher);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> worker.metric(WANTED) == 0 && worker.metric(MEMORY_WANTED) == 0);
        }
    }

    private static void assertHost(Heartbeat beat) {
        assertThat(Objects.requireNonNull(beat.hostMemoryMaxBytes())).isPositive();
        assertThat(Objects.requireNonNull(beat.hostMemoryAvailableBytes()))
                .isBetween(1L, beat.hostMemoryMaxBytes());
        assertThat(Objects.requireNonNull(beat.hostCpuLoad())).isBetween(0.0, 1.0);
    }

    private static long memory(Heartbeat beat) {
        return Objects.requireNonNull(beat.serversMemoryBytes());
    }

    /** The first heartbeat has none. */
    private static double load(Heartbeat beat) {
        return Objects.requireNonNullElse(beat.serversCpuLoad(), Double.NaN);
    }

    private static double seconds(long pid) {
        var spent = ProcessHandle.of(pid).orElseThrow().info().totalCpuDuration().orElseThrow();
        return spent.toMillis() / 1000.0;
    }

    /** A heartbeat from now on that is so. */
    private static Heartbeat beat(WholeWorker worker, Predicate<Heartbeat> wanted)
            throws InterruptedException {
        worker.gateway.forgetNotices();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (System.nanoTime() < deadline) {
            var notice = worker.gateway.notice();
            if (notice.method().equals(LinkMethod.HEARTBEAT)) {
                var beat = Json.read(notice.params(), Heartbeat.class);
                if (wanted.test(beat)) {
                    return beat;
                }
            }
        }
        throw new AssertionError("no such heartbeat came");
    }

    private void remove(WholeWorker worker, ServerConfig server) throws InterruptedException {
        offset++;
        var order =
                new InstanceOrder.Simple(
                        Orders.PARTITION,
                        new RecordOrigin(Orders.COMMANDS, Orders.PARTITION, offset),
                        "cmd-" + offset,
                        server.processId(),
                        offset,
                        null);
        worker.gateway.ask(LinkMethod.REMOVE, order, InstanceOrder.Outcome.class);
    }
}
