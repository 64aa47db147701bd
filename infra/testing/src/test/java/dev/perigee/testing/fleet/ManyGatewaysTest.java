package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.history.Load;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
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
        var pids = users.stream().map(user -> backend.text(user, "pid", "{}")).toList();
        var requests = new ArrayList<String>();
        for (int round = 0; round < 10; round++) {
            users.forEach(user -> requests.add(backend.request(user, "pid", "{}")));
        }
        for (int i = 0; i < requests.size(); i++) {
            assertThat(backend.answer(requests.get(i)).text("result/content/0/text"))
                    .isEqualTo(pids.get(i % users.size()));
        }
        for (var gateway : List.of("gateway-1", "gateway-2")) {
            assertThat(callsOf(gateway)).as("calls that %s served", gateway).isPositive();
        }
        var workers = new HashSet<String>();
        fleet.records().on(Topic.LIFECYCLE).forEach(event -> workers.add(event.text("worker_id")));
        assertThat(workers).as("workers that were reached").hasSize(2);
    }

    private double callsOf(String gateway) throws IOException, InterruptedException {
        var uri = URI.create(fleet.part(gateway).field("admin")).resolve("/metrics");
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(uri).build();
            return client.send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("perigee_gateway_call_seconds_count"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                    .sum();
        }
    }

    @Test
    @DisplayName("FLT-10: commands of one instance keep their order, those of others do not wait")
    void commandsKeepTheirOrder() {
        var backend = fleet.backend();
        var first = Installation.fixture("--slow-init", "2000");
        var servers = List.of(first, first.as("g-server", "second"), first.as("h-server", "third"));
        var created =
                servers.stream()
                        .map(server -> backend.configure(server, "mcp_installation_created"))
                        .toList();
        var updates = new ArrayList<String>();
        for (int version = 1; version <= 5; version++) {
            var updated = first.withEnv("VERSION", Integer.toString(version));
            updates.add(backend.configure(updated, "mcp_installation_updated"));
        }

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
        var statuses = fleet.records().on(Topic.STATUS);
        long lastBegin = 0;
        long firstOnline = Long.MAX_VALUE;
        for (var server : servers) {
            lastBegin = Math.max(lastBegin, firstStatus(statuses, server, "connecting"));
            firstOnline = Math.min(firstOnline, firstStatus(statuses, server, "online"));
        }
        assertThat(lastBegin).as("all begin before the first is there").isLessThan(firstOnline);
    }

    private static long firstStatus(List<Received> statuses, Installation server, String status) {
        return statuses.stream()
                .filter(s -> s.key().equals(server.processId()) && s.text("status").equals(status))
                .mapToLong(s -> s.raw().timestamp())
                .min()
                .orElseThrow();
    }

    @Test
    @DisplayName(
            "FLT-11, RES-20: calls in flight when one is killed, and a thousand during the takeover,"
                    + " are all answered, once, by the same processes")
    void takeover(@TempDir Path folder) {
        try (var load = Load.on(fleet, folder, 6, Duration.ofMillis(2))) {
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
        try (var load = Load.on(fleet, folder, 6, Duration.ofMillis(20))) {
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
        try (var load = Load.on(fleet, folder, 6, Duration.ofMillis(50))) {
            var pids = load.pids();

            fleet.part("gateway-1").signal("STOP");
            assertThat(load.pids()).isEqualTo(pids);
            fleet.part("gateway-1").signal("CONT");
            assertThat(load.pids()).isEqualTo(pids);

            nothingButTime(load, pids, "A frozen gateway");
        }
    }

    private static void nothingButTime(Load load, List<String> pids, String what) {
        assertThat(load.pids()).isEqualTo(pids);
        var history = load.history();
        System.out.printf(
                "%s: %s, slowest %d ms%n", what, history.counts(), history.slowest().toMillis());
        assertThat(history.violations()).isEmpty();
        assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
    }
}
