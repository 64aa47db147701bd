package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.testing.fleet.Backend;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import dev.perigee.testing.fleet.Records;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** The images and the compose file, run by a real engine; driven from outside its containers. */
@DisplayName("DEP-04: the compose file, run by an engine,")
@Tag("engine")
@Tag(NeedsProgram.TAG)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class EngineTest {
    private static final List<String> PARTS =
            List.of(
                    "kafka-1",
                    "kafka-2",
                    "kafka-3",
                    "gateway-1",
                    "gateway-2",
                    "worker-1",
                    "worker-2",
                    "worker-3",
                    "prometheus");
    private static final String SERVER = "@modelcontextprotocol/server-everything@2026.8.31";
    private static final int SERVERS = 4;
    private static final Duration LAST_ANSWER = Duration.ofMinutes(2);
    private static final int LAST = Integer.MAX_VALUE;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private ComposedFleet fleet;
    private Records records;
    private Backend backend;

    @BeforeAll
    void start() throws Exception {
        ComposedFleet.require();
        fleet = ComposedFleet.up(Path.of("target/engine"));
        var names = new TopicNames(TopicNames.DEFAULT_PREFIX);
        createReplies(names);
        records = Records.reading(ComposedFleet.BOOTSTRAP, names);
        backend = new Backend(ComposedFleet.BOOTSTRAP, names, records);
    }

    /** A backend's own topic, which its reader of all topics expects. */
    private static void createReplies(TopicNames names) throws Exception {
        var replies = names.prefix() + Records.REPLIES;
        try (var admin =
                Admin.create(
                        Map.<String, Object>of("bootstrap.servers", ComposedFleet.BOOTSTRAP))) {
            var topic = new NewTopic(replies, Optional.of(1), Optional.empty());
            admin.createTopics(List.of(topic)).all().get(60, TimeUnit.SECONDS);
        }
    }

    @AfterAll
    void end() {
        http.close();
        if (backend != null) {
            backend.close();
        }
        if (records != null) {
            records.close();
        }
        if (fleet != null) {
            fleet.close();
        }
    }

    private int status(String url) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(10)).build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    @Test
    @Order(1)
    @DisplayName("DEP-05: comes up by --wait when all parts are ready, each within limits")
    void comesUp() throws Exception {
        for (var part : PARTS) {
            var container = fleet.inspect(part);
            assertThat(container.at("/State/Health/Status").asString())
                    .as(part)
                    .isEqualTo("healthy");
            var limits = container.path("HostConfig");
            assertThat(limits.path("Memory").asLong()).as(part).isPositive();
            assertThat(limits.path("PidsLimit").asLong()).as(part).isPositive();
            assertThat(limits.path("NanoCpus").asLong()).as(part).isPositive();
        }
        for (int port : new int[] {7081, 7082}) {
            assertThat(status("http://127.0.0.1:" + port + "/health/ready")).isEqualTo(200);
            assertThat(status("http://127.0.0.1:" + port + "/console/")).isEqualTo(200);
            assertThat(status("http://127.0.0.1:" + port + "/console/api/fleet"))
                    .isIn(401, 403, 404);
        }
    }

    @Test
    @Order(2)
    @DisplayName("runs README's example from outside")
    void runsTheExample() throws Exception {
        fleet.perigee("apply", "infra/local/examples/everything.json");

        var said =
                fleet.perigee(
                        "call",
                        "--team",
                        "t1",
                        "--user",
                        "u1",
                        "everything:echo",
                        "{\"message\":\"hi\"}");
        assertThat(said).contains("Echo: hi");
    }

    @Test
    @Order(3)
    @DisplayName("DEP-05: shows no console, no Prometheus and no admin page to a worker")
    void hidesMonitoring() throws Exception {
        var hidden = new ArrayList<String>();
        for (var gateway : List.of("gateway-1", "gateway-2")) {
            for (var network : List.of("fleet", "workers")) {
                hidden.add(fleet.address(gateway, network) + ":7081");
            }
        }
        for (var network : List.of("dashboards", "fleet", "metrics-1", "metrics-2", "metrics-3")) {
            hidden.add(fleet.address("prometheus", network) + ":9090");
        }
        hidden.add(fleet.address("worker-2", "metrics-2") + ":7071");
        hidden.add(fleet.address("worker-2", "workers") + ":7071");
        hidden.add(fleet.address("kafka-1", "fleet") + ":9092");
        var host =
                fleet.inspect("worker-1")
                        .at("/NetworkSettings/Networks/perigee-engine_workers/Gateway")
                        .asString();
        for (var port : List.of("7081", "7082", "9090", "19092")) {
            hidden.add(host + ":" + port);
        }
        assertThat(hidden).noneMatch(address -> address.startsWith(":"));

        var peer = fleet.address("worker-2", "workers") + ":7070";
        assertThat(reached(List.of(peer))).as("the attempt itself").contains(peer);
        assertThat(reached(hidden)).isEmpty();
    }

    /**
     * Connects from the worker as its own program could, by routes and by asking the network
     * itself.
     */
    private List<String> reached(List<String> addresses) throws Exception {
        var script =
                """
                import socket, sys, os
                def reach(host, port, device):
                    try:
                        with socket.socket() as s:
                            s.settimeout(2)
                            if device:
                                s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode() + bytes(1))
                                s.setsockopt(socket.SOL_SOCKET, 5, 1)
                            s.connect((host, int(port)))
                        return True
                    except OSError:
                        return False
                def found(address):
                    host, port = address.rsplit(":", 1)
                    return any(reach(host, port, device) for device in ["", *os.listdir("/sys/class/net")])
                from concurrent.futures import ThreadPoolExecutor
                with ThreadPoolExecutor(16) as at_once:
                    for address, is_found in zip(sys.argv[1:], at_once.map(found, sys.argv[1:])):
                        if is_found:
                            print(address)
                """;
        var command =
                new ArrayList<>(
                        List.of(
                                "exec",
                                ComposedFleet.container("worker-1"),
                                "python3",
                                "-c",
                                script));
        command.addAll(addresses);
        return fleet.docker(command.toArray(String[]::new)).lines().toList();
    }

    @Test
    @Order(4)
    @DisplayName("DEP-05: has a Prometheus that finds every part")
    void isScraped() {
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(2))
                .untilAsserted(
                        () ->
                                assertThat(up())
                                        .isEqualTo(
                                                Map.of("perigee-gateway", 2, "perigee-worker", 3)));
    }

    private Map<String, Integer> up() throws IOException, InterruptedException {
        var url = URI.create("http://127.0.0.1:9090/api/v1/query?query=up%20%3D%3D%201");
        var request = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(10)).build();
        var answer = new JsonMapper().readTree(http.send(request, BodyHandlers.ofString()).body());
        var jobs = new HashMap<String, Integer>();
        for (var series : MonitoringRules.list(answer.at("/data/result"))) {
            jobs.merge(series.at("/metric/job").asString(), 1, Integer::sum);
        }
        return jobs;
    }

    @ParameterizedTest
    @Order(5)
    @CsvSource({"gateway-1,true", "kafka-2,true", "worker-1,false"})
    @DisplayName("loses no call when a part is killed under load")
    void losesNothing(String part, boolean allSucceed) throws Exception {
        var servers = servers();
        try (var load = SteadyCalls.of(backend, servers)) {
            load.awaitSent(100);
            fleet.kill(part);
            load.awaitSent(load.sent() + 200);
            fleet.awaitHealthy(part);
            load.awaitSent(load.sent() + 100);
            var sent = load.stop();

            var lost =
                    records.awaitEach(
                            Topic.TOOL_RESULTS, it -> it.text("request_id"), sent, LAST_ANSWER);

            var outcomes = outcomes(Set.copyOf(sent));
            System.out.printf(
                    "%s killed: %d calls, %s, lost %d%n", part, sent.size(), outcomes, lost.size());
            assertThat(lost).isEmpty();
            if (allSucceed) {
                assertThat(outcomes.keySet()).containsExactly("success");
            }
        }
        for (var each : servers) {
            assertThat(backend.text(each, "echo", "{\"message\":\"still\"}"))
                    .isEqualTo("Echo: still");
        }
    }

    private List<Installation> servers() {
        var wanted = new ArrayList<Installation>();
        for (int number = 0; number < SERVERS; number++) {
            wanted.add(Installation.of("everything", "npx", List.of("-y", SERVER)));
        }
        return backend.install(wanted);
    }

    /** How the calls ended, by outcome; of a call that ended twice each. */
    private Map<String, Integer> outcomes(Set<String> requests) {
        var outcomes = new TreeMap<String, Integer>();
        for (Received result : records.on(Topic.TOOL_RESULTS)) {
            if (requests.contains(result.text("request_id"))) {
                outcomes.merge(result.text("outcome"), 1, Integer::sum);
            }
        }
        return outcomes;
    }

    @Test
    @Order(6)
    @DisplayName("lets a worker be drained from outside, and is whole after it")
    void drains() throws Exception {
        fleet.perigee("drain", "worker-3");
        fleet.perigee("drain", "worker-3", "--undo");

        fleet.awaitHealthy("worker-3");
    }

    @Test
    @Order(LAST)
    @DisplayName("ends whole by down")
    void ends() throws Exception {
        fleet.down();

        assertThat(fleet.left()).isBlank();
    }
}
