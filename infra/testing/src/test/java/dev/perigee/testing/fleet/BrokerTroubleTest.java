package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.FaultProxy;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that are there and do not do what they should. */
@DisplayName("When brokers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokerTroubleTest {
    private static final Duration PACE = Duration.ofMillis(50);
    private static final int SERVERS = 4;

    private FleetUnderTest fleet;

    /** With one broker: each test has it well again in the end. */
    @BeforeAll
    void start() throws IOException {
        fleet = fleet("broker-trouble").brokers(1).start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @Tag("long")
    @DisplayName("change leaders, are lost and restarted one by one, in a cluster of three")
    void changeLeaders(@TempDir Path folder) throws Exception {
        try (var three = fleet("broker-leaders").brokers(3).start();
                var load = SteadyLoad.on(three, folder, SERVERS, PACE)) {
            var program = Counting.on(three);
            var pids = load.pids();

            three.part("broker-1").kill();
            program.awaitMore(60);
            three.brokers().start(1).awaitReady();
            for (int broker = 1; broker <= three.brokers().count(); broker++) {
                program.awaitMore(20);
                assertThat(three.part("broker-" + broker).terminate()).isIn(0, 143);
                three.brokers().start(broker).awaitReady();
            }

            assertThat(load.pids()).isEqualTo(pids);
            program.awaitMore(20);
            program.isWhole();
            nothingLost(load, "Four lost leaders");
        }
    }

    @Test
    @DisplayName("have a full disk and end, everything waits for their return")
    void haveAFullDisk(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var program = Counting.on(fleet);
            var pids = load.pids();

            // As with a full disk, every write that makes a file longer fails.
            var full = List.of("prlimit", "--pid", pid(), "--fsize=0:");
            assertThat(new ProcessBuilder(full).start().waitFor()).isZero();
            assertThat(fleet.part("broker-1").awaitExit()).isNotZero();
            awaitHealth(false);
            program.isWhole();
            fleet.brokers().start(1).awaitReady();

            assertThat(load.pids()).isEqualTo(pids);
            program.awaitMore(20);
            program.isWhole();
            nothingLost(load, "A full disk");
            awaitHealth(true);
            fleet.backend().uninstall(program.installation());
        }
    }

    @Test
    @DisplayName("acknowledge late and little by little, everything keeps its order")
    void areSlow(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var program = Counting.on(fleet);
            var pids = load.pids();
            var networks = fleet.brokers().networks();

            networks.forEach(network -> network.delay(Duration.ofMillis(300)));
            program.awaitMore(100);
            networks.forEach(network -> network.drip(8_000));
            var flood =
                    fleet.backend()
                            .request(
                                    load.servers().getFirst(),
                                    "big",
                                    "{\"bytes\":%d}".formatted(1 << 20));
            program.awaitMore(60);
            networks.forEach(FaultProxy::heal);

            assertThat(load.pids()).isEqualTo(pids);
            assertThat(fleet.backend().answer(flood).text("outcome")).isEqualTo("success");
            program.isWhole();
            nothingLost(load, "Slow acknowledgements");
            awaitHealth(true);
            fleet.backend().uninstall(program.installation());
        }
    }

    private static FleetUnderTest.Builder fleet(String name) {
        return FleetUnderTest.named(name)
                .workers(2)
                .gateway("group.session-timeout", "6s")
                .gateway("group.heartbeat-interval", "1s");
    }

    private String pid() {
        return Long.toString(fleet.part("broker-1").pid());
    }

    private void awaitHealth(boolean ready) {
        Awaitility.await()
                .atMost(Records.PATIENCE)
                .pollInterval(100, TimeUnit.MILLISECONDS)
                .until(() -> PartHealth.of(fleet.part("gateway-1")).isReady() == ready);
    }

    private static void nothingLost(SteadyLoad load, String what) {
        var history = load.history();
        System.out.printf(
                "%s: %s, slowest %d ms%n", what, history.counts(), history.slowest().toMillis());
        assertThat(history.violations()).isEmpty();
        assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
    }
}
