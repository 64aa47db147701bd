package dev.perigee.local.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.Signals;
import dev.perigee.local.broker.BrokerSettings;
import dev.perigee.part.ReadyLine;
import dev.perigee.worker.WorkerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The handling of parts, with those that need no other: a broker and a worker. */
class LocalFleetTest {
    private static final String LEFT_OUT = "HOME";

    @TempDir Path directory;
    private final List<ReadyLine> ready = new CopyOnWriteArrayList<>();
    private final List<String> trouble = new CopyOnWriteArrayList<>();

    @Test
    void leavesNoProcessAndNoToken() throws Exception {
        var data = directory.resolve("data");
        try (var fleet = fleet(0, data)) {
            var bootstrap = fleet.start();
            assertThat(ready).singleElement().asString().startsWith("ready broker pid=");
            assertThat(ready.getFirst().addresses()).containsEntry("kafka", bootstrap);
            assertThat(data.resolve("link-token")).content().hasSize(64);
            assertThat(fleet.isAlive()).isTrue();
            Thread.currentThread().interrupt();
        }
        assertThat(Thread.interrupted()).as("still, after its parts were waited for").isTrue();
        assertThat(ProcessHandle.of(ready.getFirst().pid())).isEmpty();
        assertThat(data.resolve("link-token")).doesNotExist();
        assertThat(data.resolve("kafka/meta.properties")).exists();
        assertThat(trouble).isEmpty();
    }

    @Test
    void keepsItsIdWithItsData() throws Exception {
        String id;
        try (var first = FleetDirectory.create(directory)) {
            id = first.fleetId();
            assertThat(Files.getPosixFilePermissions(first.token())).hasSize(2);
        }
        try (var second = FleetDirectory.create(directory);
                var other = FleetDirectory.create(null)) {
            assertThat(second.fleetId()).isEqualTo(id).isNotEqualTo(other.fleetId());
        }
    }

    @Test
    void refusesADirectoryThatAnotherFleetUses() throws Exception {
        try (var first = FleetDirectory.create(directory)) {
            assertThatThrownBy(() -> FleetDirectory.create(directory))
                    .isInstanceOf(PartFailedException.class)
                    .hasMessageContaining("--data");
            assertThat(first.token()).exists();
        }
    }

    @Test
    void saysWhenAPartDies() throws Exception {
        try (var fleet = fleet(0, null)) {
            fleet.start();
            var broker = ProcessHandle.of(ready.getFirst().pid()).orElseThrow();
            broker.destroyForcibly();

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(
                            () ->
                                    assertThat(trouble)
                                            .containsExactly("broker was ended by signal 9"));
            assertThat(fleet.isAlive()).isFalse();
            fleet.kill("broker");
            assertThat(fleet.unaskedEnd()).isEqualTo("broker was ended by signal 9");
        }
    }

    @Test
    void startsAKilledPartWhereItWas() throws Exception {
        try (var fleet = fleet(0, null)) {
            var bootstrap = fleet.start();
            assertThatThrownBy(() -> fleet.startAgain("broker"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("broker runs");
            fleet.kill("broker");
            assertThat(fleet.isAlive()).isFalse();
            assertThat(fleet.unaskedEnd()).isNull();
            var port = Integer.parseInt(bootstrap.substring(bootstrap.indexOf(':') + 1));
            try (var other = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(other.isBound()).isTrue();
                assertThatThrownBy(() -> fleet.startAgain("broker"))
                        .isInstanceOf(PartFailedException.class)
                        .hasMessage("broker ended with exit code 1 before it was ready");
            }

            fleet.startAgain("broker");

            assertThat(ready).hasSize(2);
            assertThat(ready.getLast().addresses()).containsEntry("kafka", bootstrap);
            assertThat(ready.getLast().pid()).isNotEqualTo(ready.getFirst().pid());
        }
        assertThat(ProcessHandle.of(ready.getLast().pid())).isEmpty();
        assertThat(trouble).isEmpty();
    }

    @Test
    @DisplayName("a killed worker has the address again where gateways look for it")
    void startsAKilledWorkerWhereItWas() throws Exception {
        try (var fleet = fleet(0, null, 1)) {
            fleet.start();
            var link = ready.getLast().addresses().getOrDefault("link", "");
            assertThat(isHandedOut(URI.create(link).getPort()))
                    .as("%s is of the ports that the kernel hands out meanwhile", link)
                    .isFalse();

            fleet.kill("worker-1");
            fleet.startAgain("worker-1");

            assertThat(ready.getLast().addresses()).containsEntry("link", link);
        }
    }

    @Test
    @DisplayName("a secret setting is no argument of a part, which everybody of this machine sees")
    void handsSecretsOnByVariables() throws Exception {
        var secret = "s3cret-of-this-test";
        try (var fleet = fleet(0, null, 1, Map.of("link.token", secret), ready::add)) {
            fleet.start();
            var process = Path.of("/proc", Long.toString(ready.getLast().pid()));

            assertThat(Files.readString(process.resolve("cmdline")))
                    .contains("worker")
                    .doesNotContain(secret);
            assertThat("\0" + Files.readString(process.resolve("environ")))
                    .contains("\0PERIGEE_LINK_TOKEN=" + secret)
                    .doesNotContain("\0" + LEFT_OUT + "=");
        }
    }

    @Test
    @DisplayName("a broker that is slow after its start is waited for")
    void waitsForItsOwnBroker() throws Exception {
        var thawed = new CopyOnWriteArrayList<CompletableFuture<Void>>();
        try (var fleet = fleet(0, null, 0, Map.of(), line -> thawed.add(freeze(line.pid())))) {
            fleet.start();
            assertThat(thawed).singleElement().satisfies(CompletableFuture::join);
        }
        assertThat(trouble).isEmpty();
    }

    /** For longer than a command waits for a broker; gives when it goes on. */
    private static CompletableFuture<Void> freeze(long pid) {
        signal(pid, "STOP");
        var later = CompletableFuture.delayedExecutor(7, TimeUnit.SECONDS);
        return CompletableFuture.runAsync(() -> signal(pid, "CONT"), later);
    }

    private static void signal(long pid, String name) {
        try {
            Signals.send(pid, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void failsWhenAPartCannotStart() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var fleet = fleet(other.getLocalPort(), null)) {
            assertThatThrownBy(fleet::start)
                    .isInstanceOf(PartFailedException.class)
                    .hasMessage("broker ended with exit code 1 before it was ready");
        }
        assertThat(trouble).isEmpty();
    }

    private static boolean isHandedOut(int port) throws IOException {
        var range = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
        try (var bounds = new Scanner(Files.newBufferedReader(range))) {
            return port >= bounds.nextInt() && port <= bounds.nextInt();
        }
    }

    private LocalFleet fleet(int kafkaPort, @Nullable Path data) throws Exception {
        return fleet(kafkaPort, data, 0);
    }

    private LocalFleet fleet(int kafkaPort, @Nullable Path data, int workers) throws Exception {
        return fleet(kafkaPort, data, workers, Map.of(), ready::add);
    }

    private LocalFleet fleet(
            int kafkaPort,
            @Nullable Path data,
            int workers,
            Map<String, String> settings,
            Consumer<ReadyLine> heard)
            throws Exception {
        var plan =
                new FleetPlan(
                        null,
                        kafkaPort,
                        data,
                        2,
                        workers,
                        0,
                        "mcp.",
                        settings,
                        Map.of("PERIGEE_LOG_LEVEL", "error"),
                        Map.of("broker", BrokerSettings.SCHEMA, "worker", WorkerSettings.SCHEMA),
                        null);
        var jvm = new JvmCommand("dev.perigee.local.cli.Perigee", "");
        var environment = new HashMap<>(System.getenv());
        environment.remove(LEFT_OUT);
        return new LocalFleet(
                plan, jvm, heard, trouble::add, UnaryOperator.identity(), environment);
    }
}
