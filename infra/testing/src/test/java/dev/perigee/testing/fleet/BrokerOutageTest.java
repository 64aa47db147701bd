package dev.perigee.testing.fleet;

import static dev.perigee.testing.FaultTime.pass;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.FaultProxy;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A broker that is frozen, killed or cut off, under load. The group's session timeout and the
 * transactions' are far shorter than the outage: members are thrown out and transactions aborted.
 */
@DisplayName("When the broker is away")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokerOutageTest {
    private static final Duration PACE = Duration.ofMillis(50);
    private static final Duration PAUSE = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofSeconds(80);
    private static final int SERVERS = 4;
    private static final String BROKER = "broker-1";

    private FleetUnderTest fleet;
    private Backend backend;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("broker-outage")
                        .brokers(1)
                        .faultyLinks()
                        .gateways(2)
                        .workers(2)
                        .gateway("group.session-timeout", "6s")
                        .gateway("group.heartbeat-interval", "1s")
                        .start();
        awaitReady();
        backend = fleet.backend();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("FLT-06: paused for 20 s: same pids, every event, in order, every answer")
    void paused(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var program = Counting.on(fleet);
            var pids = load.pids();
            // Each gateway has something that no broker acknowledges.
            var everywhere = backend.install(fleet.placing().onEach());
            var slow =
                    everywhere.stream()
                            .map(server -> backend.request(server, "sleep", "{\"ms\":5000}"))
                            .toList();
            program.awaitLines(20);

            fleet.part(BROKER).signal("STOP");
            pass(PAUSE);
            assertThatGatewaysAreDegraded();
            fleet.part(BROKER).signal("CONT");

            assertThat(load.pids()).isEqualTo(pids);
            assertThat(backend.answers(slow))
                    .allMatch(answer -> answer.text("outcome").equals("success"));
            program.awaitMore(20);
            program.isWhole();
            awaitReady();
            assertThat(nothingLost(load, "Paused for " + PAUSE)).isEqualTo(Set.of("success"));
            backend.uninstall(program.installation());
            everywhere.forEach(backend::uninstall);
        }
    }

    @Test
    @DisplayName("FLT-06: killed and started again: the same")
    void killed(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var pids = load.pids();

            fleet.part(BROKER).kill();
            pass(Duration.ofSeconds(3));
            fleet.brokers().start(1).awaitReady();

            assertThat(load.pids()).isEqualTo(pids);
            assertThat(nothingLost(load, "Killed")).isEqualTo(Set.of("success"));
            awaitReady();
        }
    }

    @Test
    @DisplayName("A gateway that is cut off from it says nothing that its successor says otherwise")
    void cutOff() {
        var server = backend.install(Installation.fixture());
        var users =
                IntStream.range(0, FleetUnderTest.PARTITIONS)
                        .mapToObj(i -> server.ofUser("user-" + i))
                        .toList();
        backend.install(users);
        fleet.link(1).partition();
        fleet.link(2).partition();
        var calls =
                users.stream()
                        .map(
                                user ->
                                        backend.request(
                                                user,
                                                "echo",
                                                "{\"message\":\"hi\"}",
                                                request -> request.put("timeout_ms", 5_000)))
                        .toList();
        pass(Duration.ofMillis(500));

        fleet.brokers().network(1).forEach(FaultProxy::partition);
        backend.answers(calls);
        fleet.brokers().network(1).forEach(FaultProxy::heal);
        fleet.link(1).heal();
        fleet.link(2).heal();

        awaitReady();
        assertThat(backend.text(server, "echo", "{\"message\":\"after\"}")).isEqualTo("after");
        for (var call : calls) {
            var endings =
                    fleet.records().on(Topic.TOOL_RESULTS).stream()
                            .filter(result -> result.text("request_id").equals(call))
                            .map(result -> result.text("outcome") + result.text("error/code"))
                            .collect(Collectors.toSet());
            assertThat(endings).as(call).hasSize(1);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "FLT-06, OWN-04: away for 80 s: same pids, every event, in order, a definite answer each")
    void forLong(Way way, @TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var program = Counting.on(fleet);
            var pids = load.pids();
            program.awaitLines(20);

            switch (way) {
                case FROZEN -> {
                    fleet.part(BROKER).signal("STOP");
                    pass(LONG);
                    fleet.part(BROKER).signal("CONT");
                }
                case STOPPED -> {
                    assertThat(fleet.part(BROKER).terminate()).isIn(0, 143);
                    pass(LONG);
                    fleet.brokers().start(1).awaitReady();
                }
                case CUT_OFF -> {
                    fleet.brokers().networks().forEach(FaultProxy::partition);
                    pass(LONG);
                    fleet.brokers().networks().forEach(FaultProxy::heal);
                }
                case SILENT -> {
                    fleet.brokers().networks().forEach(FaultProxy::refuse);
                    fleet.brokers().networks().forEach(FaultProxy::drop);
                    pass(LONG);
                    fleet.brokers().networks().forEach(FaultProxy::heal);
                }
            }

            assertThat(load.pidsAtLast()).isEqualTo(pids);
            program.awaitMore(20);
            program.isWhole();
            awaitReady();
            assertThat(nothingLost(load, way + " for " + LONG))
                    .contains("success")
                    .isSubsetOf(
                            "success",
                            "failed expired", // Read too late.
                            "failed unavailable", // Too late while the session was attached.
                            "failed timeout",
                            "failed overloaded");
            backend.uninstall(program.installation());
        }
    }

    /** How a broker is away. */
    enum Way {
        FROZEN,
        STOPPED,
        CUT_OFF,
        SILENT
    }

    /** Health says so and why, and nobody is led to kill a gateway. */
    private void assertThatGatewaysAreDegraded() {
        for (int gateway = 1; gateway <= 2; gateway++) {
            var part = fleet.part("gateway-" + gateway);
            assertThat(PartHealth.live(part).code()).isEqualTo(200);
            assertThat(PartHealth.of(part).code()).isEqualTo(503);
            assertThat(PartHealth.of(part).body())
                    .contains(
                            "\"degraded\"",
                            "No broker answers since ",
                            "The group has not assigned partitions yet");
        }
    }

    private void awaitReady() {
        for (int gateway = 1; gateway <= 2; gateway++) {
            var part = fleet.part("gateway-" + gateway);
            Awaitility.await().atMost(Records.PATIENCE).until(() -> PartHealth.of(part).isReady());
        }
    }

    private static Set<String> nothingLost(SteadyLoad load, String what) {
        var history = load.history();
        System.out.printf(
                "%s: %s, slowest %d ms%n", what, history.counts(), history.slowest().toMillis());
        assertThat(history.violations()).isEmpty();
        return history.counts().keySet();
    }
}
