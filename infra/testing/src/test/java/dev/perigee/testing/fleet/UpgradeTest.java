package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.port.FreePort;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code perigee upgrade} on a fleet whose parts this test restarts when the command asks for it,
 * as an operator's engine does.
 */
@DisplayName("perigee upgrade")
@Tag("long")
final class UpgradeTest {
    private static final Duration PACE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(8);
    private static final int GATEWAYS = 2;
    private static final int WORKERS = 2;
    private static final int SERVERS = 8;

    /** Three seconds, and the longest that a call of the load takes by itself. */
    private static final Duration SLOWEST = Duration.ofMillis(3_150);

    @TempDir private Path asked;
    private final List<Integer> ports = new ArrayList<>();

    private FleetUnderTest start() throws IOException {
        var fleet =
                FleetUnderTest.named("upgrade")
                        .gateways(GATEWAYS)
                        .workers(WORKERS)
                        .worker("heartbeat.interval", "500ms")
                        .gateway("placement.settle", "2s")
                        .gateway("placement.move-live-interval", "1s");
        for (int gateway = 1; gateway <= GATEWAYS; gateway++) {
            int port = FreePort.on("127.0.0.1");
            ports.add(port);
            fleet.gateway(gateway, "admin.listen", "127.0.0.1:" + port);
        }
        return fleet.start();
    }

    /** Asks this test by a file named after the part and waits until that is renamed. */
    private String ask() {
        return "touch '%1$s/{part}.asked'; while [ ! -e '%1$s/{part}.done' ]; do sleep 0.2; done"
                .formatted(asked);
    }

    private Part upgrade(FleetUnderTest fleet, String command, String... more) {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "upgrade",
                                "--bootstrap",
                                fleet.bootstrap(),
                                "--prefix",
                                fleet.names().prefix(),
                                "--replace",
                                command));
        for (int gateway = 1; gateway <= GATEWAYS; gateway++) {
            arguments.add("--gateway");
            arguments.add("gateway-" + gateway + "=http://127.0.0.1:" + ports.get(gateway - 1));
        }
        arguments.addAll(List.of(more));
        return fleet.start("upgrade", arguments);
    }

    /** Restarts what is asked for until the command has ended; the parts in that order. */
    private List<String> serve(FleetUnderTest fleet, Part command) throws IOException {
        var restarted = new ArrayList<String>();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (command.alive() && System.nanoTime() - end < 0) {
            var waiting = requests();
            assertThat(waiting).as("one at a time").hasSizeLessThanOrEqualTo(1);
            for (var request : waiting) {
                var name = request.getFileName().toString().replace(".asked", "");
                var part = part(fleet, name);
                assertThat(fleet.part(part).terminate()).isIn(0, 143);
                fleet.startAgain(part);
                restarted.add(part);
                Files.move(request, asked.resolve(name + ".done"));
            }
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !command.alive() || !requests().isEmpty());
        }
        return restarted;
    }

    private List<Path> requests() throws IOException {
        try (Stream<Path> files = Files.list(asked)) {
            return files.filter(file -> file.toString().endsWith(".asked")).toList();
        }
    }

    private static String part(FleetUnderTest fleet, String name) {
        for (int worker = 1; worker <= WORKERS; worker++) {
            if (fleet.workerId(worker).equals(name)) {
                return "worker-" + worker;
            }
        }
        return name;
    }

    @Test
    @DisplayName(
            "DEP-06: replaces workers, then gateways, one at a time: no call fails, the slowest takes"
                    + " less than 3 s over its own time")
    void upgraded(@TempDir Path folder) throws IOException {
        try (var fleet = start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            var pids = load.pids();
            int sent = load.sent();

            var command = upgrade(fleet, ask());
            var restarted = serve(fleet, command);

            assertThat(command.awaitExit()).as(command.output()).isZero();
            assertThat(restarted).containsExactly("worker-1", "worker-2", "gateway-1", "gateway-2");
            assertThat(command.output())
                    .containsSubsequence(
                            "worker 1 of 2",
                            "is drained",
                            "is back with version",
                            "is replaced",
                            "worker 2 of 2",
                            "is drained",
                            "is back with version",
                            "is replaced",
                            "gateway 1 of 2",
                            "is replaced",
                            "gateway 2 of 2",
                            "is replaced",
                            "all parts are replaced");
            assertThat(load.pids()).doesNotContainAnyElementsOf(pids);
            assertThat(load.sent()).as("the load went on").isGreaterThan(sent);
            var history = load.history();
            System.out.printf(
                    "An upgrade of %d workers and %d gateways: %s, slowest %d ms%n",
                    WORKERS, GATEWAYS, history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
            assertThat(history.slowest()).isLessThan(SLOWEST);
        }
    }

    @Test
    @DisplayName("DEP-06: shows, stops at a command that fails and at a worker that is not back")
    void stopped() throws IOException {
        try (var fleet = start()) {
            var dry = upgrade(fleet, "false {part}", "--dry-run");
            assertThat(dry.awaitExit()).as(dry.output()).isZero();
            assertThat(dry.output())
                    .contains(fleet.workerId(1) + ": drain, then: false " + fleet.workerId(1))
                    .contains("gateway-2: false gateway-2");

            var failing = upgrade(fleet, "false {part}", "--worker", fleet.workerId(1));
            assertThat(failing.awaitExit()).as(failing.output()).isEqualTo(1);
            assertThat(failing.output())
                    .contains("The command 'false " + fleet.workerId(1) + "' exited with 1")
                    .doesNotContain("gateway-1: gateway 1 of 2");

            var lost = upgrade(fleet, "true", "--worker", fleet.workerId(1), "--timeout", "5s");
            assertThat(lost.awaitExit()).as(lost.output()).isEqualTo(1);
            assertThat(lost.output())
                    .contains(fleet.workerId(1) + " is not whole within 5 s: no heartbeat");
        }
    }
}
