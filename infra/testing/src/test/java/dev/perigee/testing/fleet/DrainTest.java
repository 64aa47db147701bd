package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two workers, both there when a test begins; partitions move only when they must. */
@DisplayName("A worker that is left in order")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DrainTest {
    private static final Duration PACE = Duration.ofMillis(20);
    private static final String NONE = "{}";

    private FleetUnderTest fleet;
    private Backend backend;
    private Drains drains;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("drain")
                        .gateways(2)
                        .workers(2)
                        .worker("heartbeat.interval", "500ms")
                        .worker("restart.delays", "50ms")
                        .start();
        backend = fleet.backend();
        drains = new Drains(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @AfterEach
    void bothServe() {
        for (int worker = 1; worker <= 2; worker++) {
            if (fleet.part("worker-" + worker).alive()) {
                drains.undo(worker);
            }
        }
    }

    /** The process ids that a worker has. */
    private List<String> instances(int worker) {
        return debug(worker).map(instance -> instance.path("process_id").asString()).toList();
    }

    private Stream<JsonNode> debug(int worker) {
        var page = URI.create(fleet.part("worker-" + worker).field("admin") + "/debug/instances");
        try (var http = HttpClient.newHttpClient()) {
            var body =
                    http.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofByteArray())
                            .body();
            return Json.tree(body).path("instances").valueStream();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A worker that has some of these. */
    private int hostOf(List<Installation> servers) {
        return hosts(1, servers.getFirst()) ? 1 : 2;
    }

    private boolean hosts(int worker, Installation server) {
        return instances(worker).contains(server.processId());
    }

    /** A drain ends when the one worker has left; the other begins in the same moment. */
    private void awaitHosted(int worker, Installation server) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> hosts(worker, server));
    }

    @Test
    @DisplayName(
            "FLT-01: by 'perigee drain', calls flowing: all are answered, no process lives twice")
    void drained(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, 8, PACE)) {
            var pids = load.pids();
            int worker = hostOf(load.servers());
            int leaving = instances(worker).size();

            var drain = drains.of(worker, "--timeout", "30s");
            assertThat(drain.awaitExit()).as(drain.output()).isZero();

            assertThat(drain.output())
                    .containsPattern(fleet.workerId(worker) + ": partition \\d+ left, 1 of \\d+")
                    .contains(fleet.workerId(worker) + " is drained");
            assertThat(leaving).isPositive();
            assertThat(instances(worker)).isEmpty();
            assertThat(load.pids())
                    .filteredOn(pid -> !pids.contains(pid))
                    .hasSizeBetween(1, leaving);
            var again = Drains.withoutBroker(fleet).here(worker);
            assertThat(again.exitCode()).as(again.output()).isZero();
            assertThat(again.output()).contains("no broker answers");

            var history = load.history();
            System.out.printf(
                    "A drained worker: %s, slowest %d ms%n%s%n",
                    history.counts(), history.slowest().toMillis(), drain.output());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
        }
    }

    @Test
    @DisplayName("FLT-01: by SIGTERM: its partitions are served elsewhere at once, calls and all")
    void terminated(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, 8, PACE)) {
            var pids = load.pids();
            int worker = hostOf(load.servers());

            fleet.part("worker-" + worker).terminate();
            assertThat(load.pids()).isNotEqualTo(pids);

            var history = load.history();
            fleet.startWorker(worker).awaitReady();
            System.out.printf(
                    "A worker that was told to stop: %s, slowest %d ms%n",
                    history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
            assertThat(history.slowest()).isLessThan(Duration.ofSeconds(25));
        }
    }

    @Test
    @DisplayName("waits for calls that run, and answers those that come meanwhile")
    void waitsForCalls(@TempDir Path folder) {
        var server = backend.install(Installation.fixture());
        int worker = hostOf(List.of(server));
        var begun = folder.resolve("begun");
        var running =
                backend.request(
                        server, "counter", "{\"file\":\"%s\",\"ms\":3000}".formatted(begun));
        Awaitility.await().until(() -> Files.exists(begun));

        var drain = drains.of(worker);
        var late =
                IntStream.range(0, 10)
                        .mapToObj(i -> backend.request(server, "echo", "{\"message\":\"x\"}"))
                        .toList();

        assertThat(drain.awaitExit()).as(drain.output()).isZero();
        assertThat(backend.answer(running).text("outcome")).isEqualTo("success");
        assertThat(backend.answers(late)).allMatch(r -> r.text("outcome").equals("success"));
        awaitHosted(3 - worker, server);
    }

    @Test
    @DisplayName("is found by what its heartbeats tell")
    void found() {
        var undo =
                fleet.start(
                        "drain-by-heartbeats",
                        List.of(
                                "drain",
                                fleet.workerId(1),
                                "--undo",
                                "--bootstrap",
                                fleet.bootstrap()));

        assertThat(undo.awaitExit()).as(undo.output()).isZero();
        assertThat(undo.output()).contains(fleet.workerId(1) + " takes sessions again.");
    }

    @Test
    @DisplayName("FLT-04: two crashes, a move, one crash more: failed for good, also after a move")
    void crashesAreCounted() {
        var server = backend.install(Installation.fixture());
        crash(server, 1);
        crash(server, 2);
        int worker = hostOf(List.of(server));
        assertThat(drains.here(worker).exitCode()).isZero();
        assertThat(drains.here(worker, "--undo").exitCode()).isZero();
        awaitHosted(3 - worker, server);

        crash(server, 3);

        fleet.records().lifecycle(server, "permanently_failed");
        assertThat(backend.call(server, "echo", NONE).text("error/code"))
                .isEqualTo("permanently_failed");
        assertThat(drains.here(3 - worker).exitCode()).isZero();
        awaitHosted(worker, server);
        assertThat(backend.call(server, "echo", NONE).text("error/code"))
                .isEqualTo("permanently_failed");
    }

    @Test
    @DisplayName("says at once when there is nowhere to go, serves on, and leaves when there is")
    void nowhereToGo() {
        var server = backend.install(Installation.fixture());
        int worker = hostOf(List.of(server));
        var pid = backend.text(server, "pid", NONE);
        assertThat(drains.here(3 - worker).exitCode()).isZero();

        var drain = drains.here(worker, "--timeout", "30s");

        assertThat(drain.exitCode()).isEqualTo(1);
        assertThat(drain.output()).contains("There is nowhere to go", "no other worker");
        assertThat(backend.text(server, "pid", NONE)).isEqualTo(pid);
        assertThat(drains.here(3 - worker, "--undo").exitCode()).isZero();
        awaitHosted(3 - worker, server);
        assertThat(backend.text(server, "pid", NONE)).isNotEqualTo(pid);
    }

    private void crash(Installation server, int count) {
        backend.call(server, "crash", "{\"code\":1}");
        fleet.records().lifecycle(server, "crashed", count);
    }
}
