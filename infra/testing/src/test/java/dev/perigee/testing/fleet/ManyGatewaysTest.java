package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Fixtures;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("With two gateways and two workers,")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ManyGatewaysTest {
    private static final int CALLS = 1_000;
    private static final Duration SLOW = Duration.ofSeconds(2);
    private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2");
    private static final String SERVING = "perigee_gateway_partitions{state=\"serving\"}";
    private static final String CALLS_SERVED = "perigee_gateway_call_seconds_count";

    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("many-gateways")
                        .gateways(2)
                        .workers(2)
                        .gateway("group.session-timeout", "4s")
                        .gateway("group.heartbeat-interval", "1s")
                        .start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("FLT-09: whichever gateway has a user's partition reaches the worker that has it")
    void reachesTheOwner() throws Exception {
        var backend = fleet.backend();
        var users = backend.install(fleet.placing().onEach());
        // Who starts first has all partitions for a while.
        for (var gateway : GATEWAYS) {
            Awaitility.await(gateway).until(() -> metric(gateway, SERVING) > 0);
        }
        var pids = users.stream().map(user -> backend.text(user, "pid", "{}")).toList();
        var requests = new ArrayList<String>();
        for (int round = 0; round < 10; round++) {
            users.forEach(user -> requests.add(backend.request(user, "pid", "{}")));
        }
        for (int i = 0; i < requests.size(); i++) {
            assertThat(backend.answer(requests.get(i)).text("result/content/0/text"))
                    .isEqualTo(pids.get(i % users.size()));
        }
        for (var gateway : GATEWAYS) {
            assertThat(metric(gateway, CALLS_SERVED)).as("calls of %s", gateway).isPositive();
        }
        assertThat(
                        users.stream()
                                .map(user -> fleet.records().lifecycle(user, "started"))
                                .map(event -> event.text("worker_id"))
                                .distinct())
                .as("workers that were reached")
                .hasSize(2);
    }

    private double metric(String gateway, String series) throws IOException, InterruptedException {
        var uri = URI.create(fleet.part(gateway).field("admin")).resolve("/metrics");
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(uri).build();
            return client.send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(series))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                    .sum();
        }
    }

    @Test
    @DisplayName("FLT-10: commands of one instance keep their order, those of others do not wait")
    void commandsKeepTheirOrder(@TempDir Path folder) throws Exception {
        var backend = fleet.backend();
        var go = folder.resolve("go");
        var first = Installation.fixture("--init-when", go.toString());
        var servers = List.of(first, first.as("g-server", "second"), first.as("h-server", "third"));
        var created =
                servers.stream()
                        .map(server -> backend.configure(server, "mcp_installation_created"))
                        .toList();
        var updates = new ArrayList<String>();
        for (int version = 1; version <= 5; version++) {
            var updated =
                    first.withArgs(Fixtures.args("--slow-init", "2000"))
                            .withEnv("VERSION", Integer.toString(version));
            updates.add(backend.configure(updated, "mcp_installation_updated"));
        }

        // All begin before the first is there.
        servers.forEach(server -> backend.status(server, "connecting"));
        Files.createFile(go);

        assertThat(updates).allMatch(id -> backend.result(id).text("outcome").equals("completed"));
        assertThat(backend.text(first, "env", "{\"name\":\"VERSION\"}")).isEqualTo("5");
        var last = "";
        for (var type : List.of("kill", "spawn", "kill", "restart", "kill", "spawn", "kill")) {
            last = backend.command(first, type, UnaryOperator.identity());
        }
        assertThat(backend.result(last).text("outcome")).isEqualTo("completed");
        assertThat(backend.call(first, "pid", "{}").text("error/code")).isEqualTo("stopped");
        created.forEach(
                command ->
                        assertThat(backend.result(command).text("outcome")).isEqualTo("completed"));
    }

    @Test
    @DisplayName(
            "FLT-11, RES-20: calls in flight when one is killed, and a thousand during the takeover,"
                    + " are all answered, once, by the same processes")
    void takeover(@TempDir Path folder) {
        try (var load = SteadyLoad.on(fleet, folder, 6, Duration.ofMillis(2))) {
            var pids = load.pids();
            int before = load.sent();
            load.callSlowly(SLOW);
            fleet.part("gateway-1").kill();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> load.sent() >= before + CALLS);
            nothingButTime(load, pids, "A takeover");
        } finally {
            fleet.startGateway(1).awaitReady();
        }
    }

    @Test
    @DisplayName("RES-22: the same when they are restarted one by one, by SIGTERM")
    void restarted(@TempDir Path folder) {
        try (var load = SteadyLoad.on(fleet, folder, 6, Duration.ofMillis(20))) {
            var pids = load.pids();
            for (int gateway = 1; gateway <= 2; gateway++) {
                load.callSlowly(SLOW);
                assertThat(fleet.part("gateway-" + gateway).terminate()).isIn(0, 143);
                assertThat(load.pids()).isEqualTo(pids);
                fleet.startGateway(gateway).awaitReady();
            }
            nothingButTime(load, pids, "Two planned restarts");
        }
    }

    @Test
    @DisplayName(
            "RES-21, FLT-08: what one does that was frozen and thaws when it is replaced is void")
    void frozen(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, 6, Duration.ofMillis(50))) {
            var pids = load.pids();

            fleet.part("gateway-1").signal("STOP");
            assertThat(load.pids()).isEqualTo(pids);
            fleet.part("gateway-1").signal("CONT");
            assertThat(load.pids()).isEqualTo(pids);

            nothingButTime(load, pids, "A frozen gateway");
        }
    }

    private static void nothingButTime(SteadyLoad load, List<String> pids, String what) {
        assertThat(load.pids()).isEqualTo(pids);
        var history = load.history();
        System.out.printf(
                "%s: %s, slowest %d ms%n", what, history.counts(), history.slowest().toMillis());
        assertThat(history.violations()).isEmpty();
        assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
    }
}
