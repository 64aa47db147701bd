package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.faults.FaultProxy;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.EverythingServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("Calls that talk, through topics")
@ExtendWith(SharedFleet.class)
@Execution(ExecutionMode.CONCURRENT)
final class TalkingCallsTest {
    /** Of a call whose server reports progress much sooner, and runs for longer. */
    private static final long TIMEOUT_MS = 5_000;

    private final FleetUnderTest fleet;
    private final Backend backend;

    TalkingCallsTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    private static UnaryOperator<ObjectNode> accepting(String... parts) {
        return request -> {
            var accepts = request.putArray("accepts");
            List.of(parts).forEach(accepts::add);
            return request;
        };
    }

    private List<Received> events(String requestId, String type) {
        return fleet.records().on(Topic.CALL_EVENTS).stream()
                .filter(event -> event.key().equals(requestId))
                .filter(event -> event.text("event").equals(type))
                .toList();
    }

    private Received awaitEvent(String requestId, String type, String field, String value) {
        return fleet.records()
                .await(
                        Topic.CALL_EVENTS,
                        type + " of " + requestId,
                        event ->
                                event.key().equals(requestId)
                                        && event.text("event").equals(type)
                                        && event.text(field).equals(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdio", "streamableHttp", "sse"})
    @DisplayName("CAL-01: server-everything's progress arrives, newest last")
    void realServer(String mode) throws Exception {
        if (mode.equals("stdio")) {
            reports(backend.install(Installation.npm("everything")));
            return;
        }
        try (var everything = EverythingServer.started(mode)) {
            var transport = mode.equals("sse") ? "sse" : "http";
            reports(
                    backend.install(
                            Installation.elsewhere(transport, everything.url().toString())));
        }
    }

    @Test
    @DisplayName("CAL-14: a call over HTTP whose connections are cut goes on behind the cut")
    void goesOnBehindCuts() throws Exception {
        try (var everything = EverythingServer.started("streamableHttp");
                var proxy = FaultProxy.to(everything.url().getPort())) {
            var url = "http://127.0.0.1:" + proxy.port() + "/mcp";
            var server = backend.install(Installation.elsewhere("http", url));
            var id =
                    backend.request(
                            server,
                            "trigger-long-running-operation",
                            "{\"duration\":5,\"steps\":10}",
                            accepting("progress"));
            fleet.records()
                    .await(
                            Topic.CALL_EVENTS,
                            "some progress, whichever is the newest when it is sent",
                            event ->
                                    event.key().equals(id)
                                            && event.json().path("progress").asDouble(0) >= 2);
            proxy.cut();

            var answer = backend.answer(id);
            assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
            awaitEvent(id, "perigee.call.progress", "progress", "10.0");
            backend.uninstall(server);
        }
    }

    private void reports(Installation everything) {
        var id =
                backend.request(
                        everything,
                        "trigger-long-running-operation",
                        "{\"duration\":2,\"steps\":4}",
                        accepting("progress"));

        assertThat(backend.answer(id).text("outcome")).isEqualTo("success");
        var last = awaitEvent(id, "perigee.call.progress", "progress", "4.0");
        assertThat(last.text("total")).isEqualTo("4.0");
        assertThat(last.text("process_id")).isEqualTo(everything.processId());
        assertThat(last.header("ce_type")).isEqualTo("perigee.call.progress");
        assertThat(events(id, "perigee.call.progress"))
                .extracting(event -> Double.parseDouble(event.text("progress")))
                .isSorted();
    }

    @Test
    @DisplayName("CAL-01, CAL-03: events go to the reply topic, too, and log lines to logs")
    void replies() {
        var f = backend.install(Installation.fixture());
        var request =
                """
                {"request_id":"r-talk","team_id":"%s","user_id":"%s","method":"tools/call",
                 "tool_path":"%s","arguments":{"n":3,"ms":300,"log":"step"},
                 "accepts":["progress","log"]}"""
                        .formatted(f.teamId(), f.userId(), f.toolPath("talk"));
        var record = new ProducerRecord<>("mcp.tool-requests", bytes(f.key()), bytes(request));
        record.headers()
                .add("kafka_replyTopic", bytes("mcp." + Records.REPLIES))
                .add("kafka_correlationId", bytes("c"));
        backend.send(record);

        assertThat(backend.answer("r-talk").text("result/content/0/text")).isEqualTo("reported");
        awaitEvent("r-talk", "perigee.call.progress", "progress", "3.0");
        awaitEvent("r-talk", "perigee.call.log", "data", "step 3");
        for (var event : List.of("perigee.call.progress", "perigee.call.log")) {
            var reply =
                    fleet.records()
                            .awaitReply(
                                    event,
                                    r -> r.key().equals("r-talk") && r.text("event").equals(event));
            assertThat(reply.header("kafka_correlationId")).isEqualTo("c");
        }
        fleet.records()
                .await(
                        Topic.LOGS,
                        "line",
                        logs ->
                                logs.key().equals(f.processId())
                                        && logs.json().toString().contains("f: step 1"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("CAL-01: nothing without accepts, and what MCP reserves is refused")
    void unasked() {
        var f = backend.install(Installation.fixture());

        var silent = backend.request(f, "talk", "{\"n\":2,\"ms\":1,\"log\":\"x\"}");
        var refused =
                backend.request(
                        f,
                        "echo",
                        "{}",
                        request -> {
                            request.putObject("meta").put("io.modelcontextprotocol/x", 1);
                            return request;
                        });

        assertThat(backend.answer(silent).text("result/content/0/text")).isEqualTo("no token");
        assertThat(backend.answer(refused).text("error/code")).isEqualTo("invalid_request");
        backend.text(f, "echo", "{\"message\":\"x\"}");
        assertThat(
                        fleet.records().on(Topic.CALL_EVENTS).stream()
                                .filter(event -> event.key().equals(silent)))
                .isEmpty();
    }

    @Test
    @DisplayName(
            "CAL-02: a call goes on beyond its timeout while there is progress, and not for ever")
    void extended() {
        var f = backend.install(Installation.fixture());

        var kept = extended(f, "{\"n\":60,\"ms\":100}", 60_000);
        var ended = extended(f, "{\"n\":200,\"ms\":100}", 8_000);

        assertThat(backend.answer(kept).text("result/content/0/text")).isEqualTo("reported");
        var timeout = backend.answer(ended);
        assertThat(timeout.text("error/code")).isEqualTo("timeout");
        assertThat(Long.parseLong(timeout.text("duration_ms"))).isGreaterThan(TIMEOUT_MS);
    }

    private String extended(Installation f, String arguments, long most) {
        return backend.request(
                f,
                "talk",
                arguments,
                request ->
                        accepting("progress")
                                .apply(request)
                                .put("timeout_ms", TIMEOUT_MS)
                                .put("extend_on_progress_ms", 20_000)
                                .put("max_timeout_ms", most));
    }

    @Test
    @DisplayName("CAL-01: the Java client hands over what the request accepts, then the answer")
    void javaClient() throws Exception {
        var f = backend.install(Installation.fixture());
        var told = new CopyOnWriteArrayList<EventBody>();
        var request =
                new ToolRequest(
                        "r-java",
                        f.teamId(),
                        f.userId(),
                        "tools/call",
                        f.toolPath("talk"),
                        null,
                        RawJson.of("{\"n\":5,\"ms\":400}"),
                        30_000L,
                        null,
                        null,
                        List.of("progress"),
                        null,
                        null,
                        null,
                        null);
        var kafka = new KafkaConnection(fleet.bootstrap(), fleet.names(), Map.of());
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            var answer = client.call(request, Duration.ofSeconds(40), told::add);
            assertThat(answer.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }

        assertThat(told).isNotEmpty().hasOnlyElementsOfType(EventBody.CallProgress.class);
    }

    @Test
    @DisplayName("CAL-01, CAL-03: perigee call --progress shows both")
    void commandLine() {
        var f = backend.install(Installation.fixture());
        var arguments = "{\"n\":5,\"ms\":400,\"log\":\"x\"}";

        var ran = InProcessRun.call(fleet, f, "talk", "--progress", arguments);

        assertThat(ran.exitCode()).as("%s", ran).isZero();
        assertThat(ran.out()).contains("reported");
        assertThat(ran.err()).contains("progress 1/5", "notice: \"x 1\"");
    }

    @Test
    @DisplayName("CAL-11: code and data of a server's error reach the backend")
    void errors() {
        var f = backend.install(Installation.fixture());

        var answer =
                backend.call(
                        f,
                        "rpc_error",
                        "{\"code\":-32042,\"data\":{\"elicitations\":[{\"url\":\"https://example.org/pay\"}]}}");

        assertThat(answer.text("error/code")).isEqualTo("server_error");
        assertThat(answer.text("error/server_code")).isEqualTo("-32042");
        assertThat(answer.text("error/data/elicitations/0/url"))
                .isEqualTo("https://example.org/pay");
    }
}
