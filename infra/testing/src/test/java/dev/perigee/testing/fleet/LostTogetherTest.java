package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.ProgressCodec;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker that is killed while tools run, alone and together with every gateway. */
@DisplayName("Calls in flight on a worker that is lost")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LostTogetherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CALLS = 5;

    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("lost-together")
                        .workers(2)
                        .gateway("group.session-timeout", "6s")
                        .gateway("group.heartbeat-interval", "1s")
                        .gateway("link.retention-surplus", "0s")
                        .gateway("link.recovery-margin", "2s")
                        .gateway("link.ping-interval", "500ms")
                        .gateway("link.dead-after", "2s")
                        .worker("link.retention", "8s")
                        .start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName(
            "FLT-02: end as unknown, or run again if harmless; the instance comes back elsewhere")
    void worker(@TempDir Path folder) throws IOException {
        var run = new Run(folder);
        run.begin();
        fleet.part(run.worker).kill();
        run.letGo();
        run.verify();
        assertThat(run.workerOf(2)).isNotEqualTo(run.worker);
        fleet.startWorker(run.number()).awaitReady();
    }

    @Test
    @DisplayName("FLT-02: the same holds when the gateway is lost with it, and nobody remembers")
    void gatewayAndWorker(@TempDir Path folder) throws IOException {
        var run = new Run(folder);
        run.begin();
        fleet.part("gateway-1").kill();
        fleet.part(run.worker).kill();
        run.letGo();
        var meanwhile = run.call("counter", "meanwhile");
        fleet.startGateway(1).awaitReady();
        fleet.startWorker(run.number()).awaitReady();
        run.verify();
        assertThat(fleet.backend().answer(meanwhile).text("outcome"))
                .as("sent when nobody was there")
                .isIn("success", "failed");
        assertThat(run.lines("meanwhile")).isLessThanOrEqualTo(1);
    }

    /** Calls of all kinds to one server, most of which are under way when something happens. */
    private final class Run {
        private final Installation server = Installation.fixture();
        private final Path file;
        private final Path go;
        private final List<String> harmful = new ArrayList<>();
        private final List<String> harmless = new ArrayList<>();
        private final List<String> ended = new ArrayList<>();
        private String worker = "";

        Run(Path folder) {
            file = folder.resolve("effects");
            go = folder.resolve("go");
        }

        void begin() {
            fleet.backend().install(server);
            worker = workerOf(1);
            for (int i = 0; i < CALLS; i++) {
                harmful.add(held("counter", "harmful-" + i));
                harmless.add(held("counter_readonly", "harmless-" + i));
                ended.add(call("counter", "ended-" + i));
            }
            assertThat(fleet.backend().answers(ended))
                    .allMatch(answer -> answer.text("outcome").equals("success"));
            Awaitility.await().atMost(PATIENCE).until(() -> lines("") == 3 * CALLS);
            Awaitility.await().atMost(PATIENCE).until(() -> openInGroup() == 2 * CALLS);
        }

        /** Requests of which the group does not know that they are answered. */
        private long openInGroup() throws Exception {
            var topic = Topic.TOOL_REQUESTS.suffix();
            long open = 0;
            try (var admin =
                    Admin.create(Map.<String, Object>of("bootstrap.servers", fleet.bootstrap()))) {
                var groups = admin.listConsumerGroupOffsets("mcp.gateway");
                for (var entry : groups.partitionsToOffsetAndMetadata().get().entrySet()) {
                    var partition = entry.getKey();
                    if (partition.topic().endsWith(topic)) {
                        long committed = entry.getValue().offset();
                        var answered =
                                ProgressCodec.decode(entry.getValue().metadata(), committed)
                                        .completed();
                        long end =
                                admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                                        .partitionResult(partition)
                                        .get()
                                        .offset();
                        open +=
                                LongStream.range(committed, end)
                                        .filter(offset -> !answered.contains(offset))
                                        .count();
                    }
                }
            }
            return open;
        }

        void verify() {
            assertThat(fleet.backend().answers(harmful))
                    .allMatch(answer -> answer.text("error/code").equals("outcome_unknown"));
            assertThat(fleet.backend().answers(harmless))
                    .allMatch(answer -> answer.text("outcome").equals("success"));
            assertThat(fleet.backend().text(server, "pid", "{}")).isNotEmpty();
            for (int i = 0; i < CALLS; i++) {
                assertThat(lines("harmful-" + i)).isEqualTo(1);
                assertThat(lines("harmless-" + i)).isEqualTo(2);
                assertThat(lines("ended-" + i)).isEqualTo(1);
            }
            for (var ids : List.of(harmful, harmless, ended)) {
                assertThat(ids).allMatch(id -> answersTo(id) == 1);
            }
        }

        /** Has those answered that were held. */
        void letGo() throws IOException {
            Files.createFile(go);
        }

        String call(String tool, String line) {
            return request(tool, line, "");
        }

        /** One that is not answered until all are let go. */
        private String held(String tool, String line) {
            return request(tool, line, ",\"until\":\"%s\"".formatted(go));
        }

        private String request(String tool, String line, String more) {
            var arguments = "{\"file\":\"%s\",\"line\":\"%s\"%s}".formatted(file, line, more);
            return fleet.backend()
                    .request(server, tool, arguments, request -> request.put("timeout_ms", 90_000));
        }

        long lines(String beginning) {
            try {
                return Files.exists(file)
                        ? Files.readAllLines(file).stream()
                                .filter(line -> line.startsWith(beginning))
                                .count()
                        : 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int number() {
            return Integer.parseInt(worker.substring(worker.length() - 1));
        }

        /** Where it was started for the so manyth time: ids of workers end with their port. */
        private String workerOf(int start) {
            var started =
                    fleet.records()
                            .await(
                                    Topic.LIFECYCLE,
                                    "start " + start + " of " + server.processId(),
                                    start,
                                    event ->
                                            event.key().equals(server.processId())
                                                    && event.text("event").endsWith(".started"),
                                    PATIENCE)
                            .getLast();
            var id = started.text("worker_id");
            return id.substring(0, id.lastIndexOf('-'));
        }

        private long answersTo(String requestId) {
            return fleet.records().on(Topic.TOOL_RESULTS).stream()
                    .filter(result -> result.text("request_id").equals(requestId))
                    .map(result -> result.header("ce_id"))
                    .distinct()
                    .count();
        }
    }
}
