package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.testing.fleet.OtlpCollector.Exported;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("OPS-17: a collector gets one trace of backend, gateway, worker and server")
final class TracedFleetTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String BACKEND = "b7ad6b7169203331";
    private static final String SECRET = "Bearer a-secret-of-the-collector";

    private static OtlpCollector collector;
    private static FleetUnderTest fleet;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        collector = new OtlpCollector(SECRET);
        var headers =
                Files.writeString(directory.resolve("headers"), "authorization=" + SECRET + "\n");
        fleet =
                FleetUnderTest.named("traced")
                        .gateway("tracing.endpoint", collector.endpoint())
                        .gateway("tracing.headers-file", headers.toString())
                        .worker("tracing.endpoint", collector.endpoint())
                        .worker("tracing.headers-file", headers.toString())
                        .start();
    }

    @AfterAll
    static void stop() {
        fleet.close();
        collector.close();
    }

    @Test
    @DisplayName("whose spans are each other's parents, down to the server's _meta")
    void oneTrace() {
        var trace = "0af7651916cd43dd8448eb211c80319c";
        var server = fleet.backend().install(Installation.fixture());

        var answer = ask(server, "req-traced", "record", trace, "rojo=00f067aa0ba902b7");
        var process = span(trace, "process mcp.tool-requests");
        var send = span(trace, "send mcp.tool-results");
        var call = span(trace, "tools/call record");

        assertThat(collector.of(trace)).hasSize(3);
        assertThat(process.service()).isEqualTo("perigee-gateway");
        assertThat(process.kind()).isEqualTo("CONSUMER");
        assertThat(process.parent()).isEqualTo(BACKEND);
        assertThat(process.links()).containsExactly(BACKEND);
        assertThat(process.attributes())
                .containsEntry("messaging.system", "kafka")
                .containsEntry("messaging.operation.type", "process")
                .containsEntry("messaging.destination.name", "mcp.tool-requests")
                .containsEntry("messaging.consumer.group.name", "mcp.gateway")
                .containsKeys("messaging.destination.partition.id", "messaging.kafka.offset")
                .doesNotContainKey("error.type");
        assertThat(send.parent()).isEqualTo(process.id());
        assertThat(call.service()).isEqualTo("perigee-worker");
        assertThat(call.kind()).isEqualTo("CLIENT");
        assertThat(call.parent()).isEqualTo(process.id());
        assertThat(call.attributes())
                .containsEntry("mcp.method.name", "tools/call")
                .containsEntry("gen_ai.tool.name", "record")
                .containsEntry("network.transport", "pipe")
                .containsKeys("mcp.protocol.version", "jsonrpc.request.id");

        var meta = asked(answer).at("/params/_meta");
        assertThat(meta.path("traceparent").asString())
                .isEqualTo("00-" + trace + "-" + call.id() + "-01");
        assertThat(meta.path("tracestate").asString()).isEqualTo("rojo=00f067aa0ba902b7");
        assertThat(answer.header(Headers.TRACEPARENT))
                .isEqualTo("00-" + trace + "-" + process.id() + "-01");
    }

    @Test
    @DisplayName("that says how a call failed, and nothing of its arguments or the secret")
    void failed() {
        var trace = "1af7651916cd43dd8448eb211c80319c";
        var server = fleet.backend().install(Installation.fixture());
        ask(server, "req-failed", "no-such-tool", trace, null);

        var call = span(trace, "tools/call no-such-tool");
        assertThat(call.failed()).isTrue();
        assertThat(call.attributes().get("error.type")).isIn("unknown_tool", "-32602", "-32601");
        assertThat(collector.of(trace).toString()).doesNotContain("hush", SECRET);
        for (var part : List.of("gateway-1", "worker-1")) {
            assertThat(fleet.part(part).output()).doesNotContain(SECRET);
        }
    }

    @Test
    @DisplayName("that is counted by gateway and worker")
    void counted() {
        var trace = "2af7651916cd43dd8448eb211c80319c";
        var server = fleet.backend().install(Installation.fixture());
        ask(server, "req-counted", "echo", trace, null);
        span(trace, "tools/call echo");

        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            assertThat(exported("gateway")).isPositive();
                            assertThat(exported("worker")).isPositive();
                        });
    }

    private static double exported(String part) throws IOException {
        var page = URI.create(fleet.part(part + "-1").field("admin")).resolve("/metrics").toURL();
        try (var body = page.openStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("perigee_" + part + "_spans_total{"))
                    .filter(line -> line.contains("outcome=\"exported\""))
                    .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[1]))
                    .sum();
        }
    }

    /** Spans come when they have ended, which is after the answer. */
    private static Exported span(String trace, String name) {
        return await().atMost(PATIENCE)
                .until(
                        () ->
                                collector.of(trace).stream()
                                        .filter(span -> span.name().equals(name))
                                        .toList(),
                        found -> !found.isEmpty())
                .getFirst();
    }

    private static Received ask(
            Installation server,
            String id,
            String tool,
            String trace,
            @Nullable String tracestate) {
        var request =
                """
                {"request_id":"%s","team_id":"%s","user_id":"%s","method":"tools/call",
                "tool_path":"%s","arguments":{"message":"hush"}}"""
                        .formatted(id, server.teamId(), server.userId(), server.toolPath(tool));
        var record =
                new ProducerRecord<>(
                        new TopicNames(TopicNames.DEFAULT_PREFIX).of(Topic.TOOL_REQUESTS),
                        server.key().getBytes(StandardCharsets.UTF_8),
                        request.getBytes(StandardCharsets.UTF_8));
        record.headers()
                .add(
                        Headers.TRACEPARENT,
                        ("00-" + trace + "-" + BACKEND + "-01").getBytes(StandardCharsets.UTF_8));
        if (tracestate != null) {
            record.headers().add(Headers.TRACESTATE, tracestate.getBytes(StandardCharsets.UTF_8));
        }
        fleet.backend().send(record);
        return fleet.backend().answer(id);
    }

    /** The request as the server read it. */
    private static JsonNode asked(Received answer) {
        var lines = json(answer.text("result/content/0/text"));
        return json(lines.get(lines.size() - 1).asString());
    }

    private static JsonNode json(String text) {
        return Json.tree(text.getBytes(StandardCharsets.UTF_8));
    }
}
