package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@DisplayName("What happened to a request can be found by one id")
final class TraceTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String GIVEN = "00-" + TRACE + "-b7ad6b7169203331-01";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static FleetUnderTest fleet;

    @BeforeAll
    static void start() throws IOException {
        fleet =
                FleetUnderTest.named("trace")
                        .environment("PERIGEE_LOG_LEVEL", "debug")
                        .environment("PERIGEE_LOG_FORMAT", "json")
                        .worker("restart.delays", "50ms")
                        .start();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    @Test
    @DisplayName("the request's own: in the result, in _meta, in the logs of gateway and worker")
    void given() {
        var server = fleet.backend().install(Installation.fixture());
        var answer = record(server, "req-given", GIVEN);

        assertThat(answer.header(Headers.TRACEPARENT)).contains(TRACE);
        assertThat(asked(answer).at("/params/_meta/traceparent").asString()).contains(TRACE);
        assertThat(asked(answer).at("/params/arguments").toString())
                .as("what the backend gave")
                .isEqualTo("{\"_meta\":{\"mine\":1}}");
        assertLogged(server, TRACE, "req-given");
    }

    @Test
    @DisplayName("one that the gateway makes, where the request brings none")
    void made() {
        var server = fleet.backend().install(Installation.fixture());
        var answer = record(server, "req-made", null);

        var traceparent = answer.header(Headers.TRACEPARENT);
        assertThat(traceparent).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]");
        var trace = traceparent.substring(3, 35);
        assertThat(asked(answer).at("/params/_meta/traceparent").asString()).contains(trace);
        assertLogged(server, trace, "req-made");
    }

    @Test
    @DisplayName("every line about an instance says which, of what partition, in which epoch")
    void lines() {
        var server = fleet.backend().install(Installation.fixture());
        fleet.backend().call(server, "crash", "{}");
        fleet.records().lifecycle(server, "restarted");

        // What a part prints arrives later than what it writes to topics.
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            assertThat(about("gateway-1", server)).isNotEmpty();
                            assertThat(about("worker-1", server))
                                    .anyMatch(
                                            line ->
                                                    line.path("message")
                                                            .asString("")
                                                            .contains("crashed"));
                        });
        for (var part : List.of("gateway-1", "worker-1")) {
            assertThat(about(part, server))
                    .as(part)
                    .allSatisfy(
                            line -> {
                                assertThat(line.path("partition").isNumber()).isTrue();
                                assertThat(line.path("epoch").asLong(-1)).isNotNegative();
                            });
        }
    }

    private static List<JsonNode> about(String part, Installation server) {
        return lines(part, line -> line.path("process_id").asString("").equals(server.processId()));
    }

    /** Has the server say what it was asked. */
    private static Received record(Installation server, String id, @Nullable String traceparent) {
        var request =
                """
                {"request_id":"%s","team_id":"%s","user_id":"%s","method":"tools/call",
                "tool_path":"%s","arguments":{"_meta":{"mine":1}}}"""
                        .formatted(id, server.teamId(), server.userId(), server.toolPath("record"));
        var record =
                new ProducerRecord<>(
                        new TopicNames(TopicNames.DEFAULT_PREFIX).of(Topic.TOOL_REQUESTS),
                        server.key().getBytes(StandardCharsets.UTF_8),
                        request.getBytes(StandardCharsets.UTF_8));
        if (traceparent != null) {
            record.headers().add(Headers.TRACEPARENT, traceparent.getBytes(StandardCharsets.UTF_8));
        }
        fleet.backend().send(record);
        return fleet.backend().answer(id);
    }

    /** The request as the server read it. */
    private static JsonNode asked(Received answer) {
        var lines = json(answer.text("result/content/0/text"));
        return json(lines.get(lines.size() - 1).asString());
    }

    private static void assertLogged(Installation server, String trace, String requestId) {
        for (var part : List.of("gateway-1", "worker-1")) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    lines(
                                                            part,
                                                            line ->
                                                                    line.path("trace_id")
                                                                            .asString("")
                                                                            .equals(trace)))
                                            .as(part)
                                            .isNotEmpty()
                                            .allSatisfy(
                                                    line -> {
                                                        assertThat(
                                                                        line.path("request_id")
                                                                                .asString())
                                                                .isEqualTo(requestId);
                                                        assertThat(
                                                                        line.path("process_id")
                                                                                .asString())
                                                                .isEqualTo(server.processId());
                                                        assertThat(
                                                                        line.path("partition")
                                                                                .isNumber())
                                                                .isTrue();
                                                        assertThat(line.path("epoch").isNumber())
                                                                .isTrue();
                                                    }));
        }
    }

    private static List<JsonNode> lines(String part, Predicate<JsonNode> wanted) {
        return fleet.part(part)
                .output()
                .lines()
                .filter(line -> line.startsWith("{") && line.endsWith("}"))
                .map(TraceTest::json)
                .filter(wanted)
                .toList();
    }

    private static JsonNode json(String text) {
        return Json.tree(text.getBytes(StandardCharsets.UTF_8));
    }
}
