package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.history.LiveServers;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Three seconds stand for the three minutes of an idle process, one for the half of settling. */
@DisplayName("When workers come and go")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
final class WorkersComeAndGoTest {
    private static final String NONE = "{}";

    private FleetUnderTest fleet;
    private Backend backend;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("come-and-go")
                        .partitions(16)
                        .workers(2)
                        .spareWorkers(1)
                        .gateway("placement.settle", "1s")
                        .gateway("placement.move-interval", "50ms")
                        .gateway("group.session-timeout", "6s")
                        .gateway("group.heartbeat-interval", "1s")
                        .gateway("link.retention-surplus", "0s")
                        .gateway("link.recovery-margin", "2s")
                        .gateway("link.ping-interval", "500ms")
                        .gateway("link.dead-after", "2s")
                        .gateway("link.refused-for", "2s")
                        .worker("link.retention", "8s")
                        .worker("idle.timeout", "3s")
                        .worker("idle.check-interval", "100ms")
                        .worker("idle.grace", "0s")
                        .worker("heartbeat.interval", "500ms")
                        .start();
        backend = fleet.backend();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @Order(1)
    @DisplayName("FLT-03: one that is added gets dormant instances, the others keep their pids")
    void added() {
        var placing = fleet.placing(3);
        var idle = backend.install(watched(placing.fixtures(12)));
        // Not where the third is to serve: a partition with a process would stay.
        var busy =
                backend.install(
                        watched(
                                List.of(
                                        placing.fixtureOn(1),
                                        placing.fixtureOn(1),
                                        placing.fixtureOn(2),
                                        placing.fixtureOn(2))));
        for (var server : busy) {
            backend.request(
                    server,
                    "sleep",
                    "{\"ms\":100000}",
                    request -> request.put("timeout_ms", 110_000));
        }
        var pids = pids(busy);
        idle.forEach(server -> fleet.records().lifecycle(server, "dormant"));

        try (var live = LiveServers.watching()) {
            fleet.startWorker(3).awaitReady();
            var moved =
                    fleet.records()
                            .await(
                                    Topic.HEARTBEATS,
                                    "an instance on the worker that was added",
                                    r ->
                                            r.key().equals(fleet.workerId(3))
                                                    && r.json().path("dormant_count").asInt() > 0);
            assertThat(moved.json().path("partitions").size()).isBetween(1, 15);
            for (var server : idle) {
                assertThat(backend.text(server, "echo", "{\"message\":\"x\"}")).isEqualTo("x");
            }
            assertThat(pids(busy)).isEqualTo(pids);
            assertThat(live.doubles()).isEmpty();
        }
    }

    private static List<Installation> watched(List<Installation> servers) {
        return servers.stream().map(SteadyLoad::watched).toList();
    }

    private List<String> pids(List<Installation> servers) {
        return servers.stream().map(server -> backend.text(server, "pid", NONE)).toList();
    }

    @Test
    @Order(2)
    @DisplayName("FLT-05: one that is lost costs no dormant or stopped instance what it is")
    void lost() {
        var dormant = backend.install(Stream.generate(Installation::fixture).limit(4).toList());
        var stopped = backend.install(Stream.generate(Installation::fixture).limit(4).toList());
        stopped.stream()
                .map(server -> backend.command(server, "kill", command -> command))
                .toList()
                .forEach(backend::result);
        dormant.forEach(server -> fleet.records().lifecycle(server, "dormant"));
        int worker = workerWithMost(dormant, stopped);

        fleet.part("worker-" + worker).kill();
        // A call that is sent before that is known may have run, and is answered so.
        var gateway = fleet.part("gateway-1");
        Awaitility.await()
                .until(
                        () ->
                                PartHealth.of(gateway)
                                        .obstacles()
                                        .contains(fleet.linkAuthority(worker)));

        for (var server : dormant) {
            var id =
                    backend.request(
                            server,
                            "echo",
                            "{\"message\":\"x\"}",
                            request -> request.put("timeout_ms", 60_000));
            var answer =
                    fleet.records()
                            .await(
                                    Topic.TOOL_RESULTS,
                                    "an answer",
                                    1,
                                    r -> r.text("request_id").equals(id),
                                    Duration.ofSeconds(60))
                            .getFirst();
            assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
        }
        for (var server : stopped) {
            assertThat(backend.call(server, "echo", NONE).text("error/code")).isEqualTo("stopped");
        }
    }

    /** The worker that heartbeats say has most of these. */
    private int workerWithMost(List<Installation> some, List<Installation> others) {
        var ids = new HashSet<String>();
        some.forEach(server -> ids.add(server.processId()));
        others.forEach(server -> ids.add(server.processId()));
        return IntStream.rangeClosed(1, 3)
                .boxed()
                .max(Comparator.comparingLong(worker -> count(worker, ids)))
                .orElseThrow();
    }

    private long count(int worker, Set<String> ids) {
        var beats =
                fleet.records().on(Topic.HEARTBEATS).stream()
                        .filter(r -> r.key().equals(fleet.workerId(worker)))
                        .toList();
        return beats.isEmpty()
                ? 0
                : beats.getLast()
                        .json()
                        .path("processes_by_team")
                        .valueStream()
                        .flatMap(team -> StreamSupport.stream(team.spliterator(), false))
                        .filter(p -> ids.contains(p.path("process_id").asString()))
                        .count();
    }
}
