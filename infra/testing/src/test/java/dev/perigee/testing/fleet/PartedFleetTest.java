package dev.perigee.testing.fleet;

import static dev.perigee.testing.FaultTime.pass;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.FaultProxy;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two gateways, two workers and a broker, parted into two sets that do not reach each other. The
 * live processes of each instance are counted every 50 ms by {@link SteadyLoad}, whose calls go on
 * all the time: those that no side can serve wait or are answered, and each once.
 */
@DisplayName("A fleet that is cut into two")
final class PartedFleetTest {
    private static final Duration PACE = Duration.ofMillis(100);

    /** So many that each gateway has some on each worker. */
    private static final int SERVERS = 16;

    private static final int PARTITIONS = 32;
    private static final Duration SLOW = Duration.ofSeconds(5);
    private static final Duration COMMITTED = Duration.ofSeconds(5);
    private static final Duration BEGUN = Duration.ofSeconds(2);

    /** Begun as long before as {@link #BEGUN}, and answered before the worker gives up. */
    private static final Duration ANSWERED_WHILE_FROZEN = Duration.ofMillis(2_800);

    @Test
    @DisplayName(
            "OWN-01, OWN-02: a gateway and a worker: no process twice, one answer to each call")
    void gatewayAndWorker(@TempDir Path folder) throws Exception {
        try (var fleet = shortTimes("parted").start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            var before = new HashSet<>(load.pids());

            part(fleet, load, Set.of("gateway-1", "worker-1"), Duration.ofSeconds(40));

            assertThat(new HashSet<>(load.pidsAtLast())).isNotEqualTo(before);
            verify(fleet, load, "{gateway-1, worker-1} cut off for 40 s");
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gateway-1",
                "worker-1",
                "gateway-1 gateway-2",
                "gateway-1 worker-1",
                "gateway-1 worker-2",
                "gateway-1 gateway-2 worker-1",
                "gateway-1 worker-1 worker-2",
                "gateway-1 gateway-2 worker-1 worker-2"
            })
    @DisplayName("OWN-03: any set: the same")
    void anySet(String set, @TempDir Path folder) throws Exception {
        try (var fleet = shortTimes("parted-" + set.replace(' ', '-')).start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            part(fleet, load, Set.of(set.split(" ")), Duration.ofSeconds(60));
            verify(fleet, load, "{" + set + "} cut off for 60 s");
        }
    }

    @Tag("long")
    @Test
    @DisplayName(
            "OWN-01, OWN-02, OWN-05: a gateway and a worker, default times, for ten minutes: the same")
    void defaultTimes(@TempDir Path folder) throws Exception {
        try (var fleet =
                        FleetUnderTest.named("parted-for-long")
                                .brokers(1)
                                .faultyPairs()
                                .partitions(PARTITIONS)
                                .gateways(2)
                                .workers(2)
                                .start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            var before = new HashSet<>(load.pids());

            part(fleet, load, Set.of("gateway-1", "worker-1"), Duration.ofMinutes(10));

            assertThat(new HashSet<>(load.pidsAtLast())).isNotEqualTo(before);
            verify(fleet, load, "{gateway-1, worker-1} cut off for 10 minutes, default times");
        }
    }

    @Tag("long")
    @Test
    @DisplayName("OWN-05: a gateway that was frozen, and whose worker was lost meanwhile: silent")
    void frozen(@TempDir Path folder) throws Exception {
        try (var fleet = shortTimes("parted-frozen").start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            var _ = load.pids();

            startSlowCalls(load, ANSWERED_WHILE_FROZEN);
            fleet.part("gateway-1").signal("STOP");
            load.goOn();
            cut(fleet, Set.of("gateway-1", "worker-1"), FaultProxy::partition);
            fleet.brokers().network(1).forEach(FaultProxy::heal);
            pass(Duration.ofSeconds(45));
            fleet.part("gateway-1").signal("CONT");
            pass(Duration.ofSeconds(5));
            cut(fleet, Set.of("gateway-1", "worker-1"), FaultProxy::heal);

            var _ = load.pidsAtLast();
            verify(fleet, load, "gateway-1 frozen for 45 s, without its worker");
        }
    }

    /** Retention is 8 s, a lease 8 s, and a gateway is missed after 6 s. */
    private static FleetUnderTest.Builder shortTimes(String name) {
        return FleetUnderTest.named(name)
                .brokers(1)
                .faultyPairs()
                .partitions(PARTITIONS)
                .gateways(2)
                .workers(2)
                .gateway("group.session-timeout", "6s")
                .gateway("group.heartbeat-interval", "1s")
                .gateway("link.lease", "8s")
                .gateway("link.retention-surplus", "0s")
                .gateway("link.recovery-margin", "2s")
                .gateway("link.ping-interval", "500ms")
                .gateway("link.dead-after", "2s")
                .gateway("placement.unknown-retention", "8s")
                .worker("link.ping-interval", "500ms")
                .worker("link.dead-after", "2s")
                .worker("link.retention", "8s");
    }

    /**
     * Calls are under way when the cut comes. None was answered in the moment before: whose answer
     * the group does not know is answered again when its gateway and worker are both lost.
     */
    private static void part(
            FleetUnderTest fleet, SteadyLoad load, Set<String> set, Duration time) {
        startSlowCalls(load, SLOW);
        cut(fleet, set, FaultProxy::partition);
        load.goOn();
        pass(time);
        cut(fleet, set, FaultProxy::heal);
    }

    private static void startSlowCalls(SteadyLoad load, Duration time) {
        load.pause();
        pass(COMMITTED);
        load.callSlowly(time);
        pass(BEGUN);
    }

    /** What is between two parts of which one is in the set. */
    private static void cut(FleetUnderTest fleet, Set<String> set, Consumer<FaultProxy> fault) {
        assertThat(fleet.parts()).containsKeys(set.toArray(String[]::new));
        fleet.lines().stream()
                .filter(line -> set.contains(line.gateway()) != set.contains(line.other()))
                .map(Line::proxy)
                .forEach(fault);
    }

    private static void verify(FleetUnderTest fleet, SteadyLoad load, String what)
            throws IOException {
        for (int gateway = 1; gateway <= 2; gateway++) {
            var part = fleet.part("gateway-" + gateway);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> PartHealth.of(part).isReady());
        }
        var _ = load.pidsAtLast();
        var history = load.history();
        System.out.printf(
                "%s: %s, slowest %d ms, %d results%n",
                what,
                history.counts(),
                history.slowest().toMillis(),
                fleet.records().on(Topic.TOOL_RESULTS).size());
        assertThat(history.violations()).isEmpty();
    }
}
