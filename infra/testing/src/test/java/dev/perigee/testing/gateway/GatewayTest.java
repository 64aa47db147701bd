package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.GatewayStartException;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("A gateway")
final class GatewayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName("carries a command and a call there and the answers back")
    void carriesACommandAndACall() throws Exception {
        try (var gateway = test.start("a")) {
            assertThat(gateway.gatewayId()).isEqualTo("a");
            var id = test.backend.configure(installation, "mcp_installation_created");
            var result = test.backend.result(id);
            assertThat(result.text("outcome")).isEqualTo("completed");
            assertThat(result.text("process_id")).isEqualTo(installation.processId());
            assertThat(result.header(Headers.CE_ID))
                    .matches(test.names.of(Topic.COMMANDS) + "-\\d+@0/completed");
            assertThat(outcomes(id)).containsExactly("acknowledged", "completed");
            assertThat(test.backend.status(installation, "online").header(Headers.CE_ID))
                    .matches(installation.processId() + "/\\d+/1");

            var answer = test.backend.call(installation, "echo", "{\"n\":1}");
            assertThat(answer.text("outcome")).isEqualTo("success");
            assertThat(new String(answer.raw().value(), StandardCharsets.UTF_8))
                    .contains("\"result\":{\"n\":1}");
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    test.fleet
                                                            .session(test.partition(installation))
                                                            .unacknowledged())
                                            .isEmpty());
        }
    }

    @Test
    @DisplayName("copies a result to the reply topic with its correlation id")
    void repliesWhereAsked() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            var record =
                    new ProducerRecord<>(
                            test.names.of(Topic.TOOL_REQUESTS),
                            bytes(installation.key()),
                            bytes(
                                    "{\"request_id\":\"r-1\",\"team_id\":\"%s\",\"user_id\":\"%s\",\"method\":\"tools/list\"}"
                                            .formatted(
                                                    installation.teamId(), installation.userId())));
            record.headers().add(Headers.REPLY_TOPIC, bytes(test.names.prefix() + "replies"));
            record.headers().add(Headers.CORRELATION_ID, bytes("c-7"));
            test.backend.send(record);

            var reply = test.records.awaitReply("r-1", received -> received.key().equals("r-1"));
            assertThat(reply.header(Headers.CORRELATION_ID)).isEqualTo("c-7");
            assertThat(reply.header(Headers.CE_ID))
                    .isEqualTo(test.backend.answer("r-1").header(Headers.CE_ID));
        }
    }

    @Test
    @DisplayName("puts every kind of bad record aside, answers its author and goes on")
    void putsBadRecordsAside() throws Exception {
        try (var _ = test.start("a")) {
            var key = installation.key();
            test.backend.send(Topic.TOOL_REQUESTS, key, bytes("no json"));
            test.backend.send(Topic.TOOL_REQUESTS, key, bytes("{\"request_id\":\"bad-1\"}"));
            test.backend.send(Topic.COMMANDS, key, bytes("{\"id\":\"bad-2\"}"));
            test.backend.send(
                    Topic.COMMANDS,
                    key,
                    bytes("{\"id\":\"bad-3\",\"command_type\":\"dance\",\"payload\":{}}"));
            test.backend.send(
                    new ProducerRecord<>(
                            test.names.of(Topic.TOOL_REQUESTS),
                            (test.partition(installation) + 1) % GatewayUnderTest.PARTITIONS,
                            bytes(key),
                            bytes(
                                    "{\"request_id\":\"bad-4\",\"team_id\":\"%s\",\"user_id\":\"%s\",\"method\":\"tools/list\"}"
                                            .formatted(
                                                    installation.teamId(),
                                                    installation.userId()))));

            assertThat(letter("no json").header(Headers.REASON)).isEqualTo("malformed");
            assertThat(letter("bad-1").header(Headers.REASON)).isEqualTo("invalid");
            assertThat(letter("bad-1").header(Headers.DETAIL)).contains("team_id");
            assertThat(letter("bad-2").header(Headers.REASON)).isEqualTo("invalid");
            assertThat(letter("bad-3").header(Headers.REASON)).isEqualTo("unsupported");
            assertThat(letter("bad-4").header(Headers.REASON)).isEqualTo("misrouted");
            assertThat(letter("bad-4").header(Headers.ORIGIN))
                    .startsWith(test.names.of(Topic.TOOL_REQUESTS));
            assertThat(test.backend.answer("bad-1").text("error/code"))
                    .isEqualTo("invalid_request");
            assertThat(test.backend.answer("bad-4").text("error/code"))
                    .isEqualTo("invalid_request");
            assertThat(test.backend.result("bad-2").text("outcome")).isEqualTo("failed");
            assertThat(test.backend.result("bad-2").text("error/code")).isEqualTo("invalid");
            assertThat(test.backend.result("bad-3").text("outcome")).isEqualTo("failed");
            assertThat(test.backend.result("bad-3").text("error/code")).isEqualTo("unsupported");

            test.backend.install(installation);
        }
    }

    @Test
    @DisplayName("PRO-109 does nothing for a command that came too late")
    void expires() throws Exception {
        try (var _ = test.start("a")) {
            var id =
                    test.backend.command(
                            installation,
                            "kill",
                            command -> command.put("expires_at", "2020-01-01T00:00:00.000Z"));
            assertThat(test.backend.result(id).text("outcome")).isEqualTo("expired");
            assertThat(outcomes(id)).containsExactly("expired");
        }
    }

    @Test
    @DisplayName("PRO-110, REC-14 runs an id once and says what is not there")
    void runsAnIdOnce() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            for (int i = 0; i < 2; i++) {
                test.backend.command(
                        installation, "restart", command -> command.put("id", "twice"));
            }
            var recovery =
                    test.backend.command(
                            installation.as("other", "other"),
                            "configure",
                            command -> {
                                var payload = (ObjectNode) command.get("payload");
                                payload.put("event", "mcp_recovery");
                                return command;
                            });
            assertThat(test.backend.result(recovery).text("result/note")).isEqualTo("not found");
            test.backend.result("twice");
            assertThat(outcomes("twice")).containsExactly("acknowledged", "completed");
            assertThat(test.fleet.orders).filteredOn("instance/restart"::equals).hasSize(1);
        }
    }

    @Test
    @DisplayName("removes every trace of an instance that is deleted")
    void removes() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            var removal = test.backend.uninstall(installation);
            assertThat(removal.text("result/active")).isEqualTo("true");
            test.records.await(
                    Topic.STATUS,
                    "tombstone",
                    received ->
                            received.isTombstone()
                                    && received.key().equals(installation.processId()));
            var call = test.backend.call(installation, "echo", "{}");
            assertThat(call.text("error/code")).isEqualTo("unknown_server");
        }
    }

    @Test
    @DisplayName("keeps what is installed anew while it is being removed")
    void installsWhatIsBeingRemoved() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            test.fleet.removals = new CountDownLatch(1);
            var removal =
                    test.backend.command(
                            installation,
                            "configure",
                            command -> {
                                ((ObjectNode) command.get("payload"))
                                        .put("event", "mcp_installation_deleted");
                                return command;
                            });
            await().atMost(PATIENCE).until(() -> test.fleet.orders.contains("instance/remove"));
            test.backend.install(installation);
            test.fleet.removals.countDown();
            assertThat(test.backend.result(removal).text("outcome")).isEqualTo("completed");

            assertThat(test.fleet.applied.getLast().startToken())
                    .isGreaterThan(test.fleet.applied.getFirst().startToken());
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    test.fleet
                                            .session(test.partition(installation))
                                            .unacknowledged()
                                            .isEmpty());
            assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                    .isEqualTo("success");
        }
    }

    @Test
    @DisplayName("FLT-07 runs a request id once")
    void runsARequestOnce() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            for (int i = 0; i < 2; i++) {
                test.backend.request(
                        installation, "echo", "{}", request -> request.put("request_id", "same"));
            }
            test.backend.call(installation, "echo", "{}");
            assertThat(test.fleet.executed)
                    .filteredOn(call -> call.request().requestId().equals("same"))
                    .hasSize(1);
        }
    }

    @Test
    @DisplayName("counts what it does, and says what each figure means")
    void explainsItsMetrics() throws Exception {
        try (var gateway = test.start("a")) {
            test.backend.install(installation);
            test.backend.call(installation, "echo", "{}");
            try (var page = gateway.adminUri().resolve("/metrics").toURL().openStream()) {
                assertThat(new String(page.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("perigee_gateway_records_in_total{topic=\"")
                        .contains("perigee_gateway_call_seconds_bucket")
                        .doesNotContainPattern("# HELP perigee_\\w+ *\\n");
            }
        }
    }

    @Test
    @DisplayName("refuses to start without its topics and says what creates them")
    void refusesWithoutTopics() {
        assertThatThrownBy(() -> test.start("a", Map.of("topics.prefix", "none.")))
                .isInstanceOf(GatewayStartException.class)
                .hasMessageContaining("none.commands")
                .hasMessageContaining("perigee topics");
    }

    private List<String> outcomes(String commandId) {
        return test
                .records
                .matching(
                        received ->
                                received.topic().equals(Topic.COMMAND_RESULTS.suffix())
                                        && received.text("command_id").equals(commandId))
                .stream()
                .map(received -> received.text("outcome"))
                .toList();
    }

    private Received letter(String content) {
        return test.records.await(
                Topic.DEAD_LETTERS,
                "dead letter of " + content,
                received ->
                        new String(received.raw().value(), StandardCharsets.UTF_8)
                                .contains(content));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
