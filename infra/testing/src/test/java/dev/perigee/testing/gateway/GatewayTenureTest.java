package dev.perigee.testing.gateway;

import static dev.perigee.testing.gateway.GatewayUnderTest.serving;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import dev.perigee.testing.gateway.HandMadeFleet.Calls;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("A gateway among others")
final class GatewayTenureTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName("commits a request only when its answer is written")
    void commitsWhatIsDone() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            var slow = test.backend.request(installation, "echo", "{}");
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);
            test.fleet.calls = Calls.ANSWER;
            test.backend.call(installation, "echo", "{}");

            await().during(Duration.ofSeconds(1))
                    .atMost(PATIENCE)
                    .until(
                            () ->
                                    test.committed(
                                                    Topic.TOOL_REQUESTS,
                                                    test.partition(installation))
                                            <= 0);
            test.fleet.answerAll();
            test.backend.answer(slow);
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    test.committed(
                                                    Topic.TOOL_REQUESTS,
                                                    test.partition(installation))
                                            == 2);
        }
    }

    @Test
    @DisplayName("RES-20 takes over where another left off: calls are answered once, run once")
    void takesOver() throws Exception {
        String pending;
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            pending = test.backend.request(installation, "echo", "{}");
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);
        }
        try (var _ = test.start("b")) {
            test.fleet.answerAll();
            assertThat(test.backend.answer(pending).text("outcome")).isEqualTo("success");
            assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                    .isEqualTo("success");
            assertThat(test.fleet.executed).hasSize(2);
            assertThat(test.fleet.applied).hasSize(1);
            assertThat(answers(pending)).hasSize(1);
        }
    }

    @Test
    @DisplayName(
            "restores what is wanted on a worker that forgot it, and says which calls were lost")
    void restores() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            var lost = test.backend.request(installation, "echo", "{}");
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);
            test.fleet.calls = Calls.ANSWER;
            test.fleet.restart();

            assertThat(test.backend.answer(lost).text("error/code")).isEqualTo("outcome_unknown");
            assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                    .isEqualTo("success");
            var again = test.fleet.applied.getLast();
            assertThat(again.cause()).isEqualTo(Cause.RESTORED);
            assertThat(again.startToken()).isEqualTo(test.fleet.applied.getFirst().startToken());
            assertThat(again.durable()).isEqualTo(RawJson.of("{\"crashes\":0}"));

            var other = installation.withEnv("OTHER", "value");
            test.backend.result(test.backend.configure(other, "mcp_installation_updated"));
            var changed = test.fleet.applied.getLast();
            assertThat(changed.cause()).isEqualTo(Cause.UPDATED);
            assertThat(changed.durable())
                    .as("its worker may be another")
                    .isEqualTo(again.durable());
        }
    }

    @Test
    @DisplayName("waits with a call for the configuration that was sent before it")
    void waitsForTheServer() throws Exception {
        for (int i = 0; i < 3; i++) {
            test.backend.configure(installation.as("echo", "same"), "mcp_installation_created");
        }
        var request = test.backend.request(installation, "echo", "{}");
        try (var _ = test.start("a")) {
            assertThat(test.backend.answer(request).text("outcome")).isEqualTo("success");
            assertThat(
                            test.backend
                                    .call(installation.as("none", "x"), "echo", "{}")
                                    .text("error/code"))
                    .isEqualTo("unknown_server");
        }
    }

    @Test
    @DisplayName("does not wait for commands where none were sent before the call")
    void answersAtOnceWithoutCommands() throws Exception {
        var wait = Map.of("request.unknown-server-wait", "1h");
        try (var gateway = test.start("a", wait)) {
            assertUnknownAtOnce(gateway, installation);
        }
        test.backend.configure(installation, "mcp_installation_created");
        try (var _ = test.start("b")) {
            test.backend.status(installation, "online");
        }
        try (var gateway = test.start("c", wait)) {
            assertUnknownAtOnce(gateway, installation.as("none", "x"));
        }
    }

    /** Asks when the consumer has found the topics empty, so that no poll tells where they end. */
    private void assertUnknownAtOnce(Gateway gateway, Installation unknown) throws Exception {
        var ready = gateway.adminUri().resolve("/health/ready").toURL();
        await().atMost(PATIENCE)
                .until(() -> ((HttpURLConnection) ready.openConnection()).getResponseCode() == 200);
        var request =
                test.backend.request(unknown, "echo", "{}", r -> r.put("timeout_ms", 3_600_000));
        assertThat(test.backend.answer(request).text("error/code")).isEqualTo("unknown_server");
    }

    @Test
    @DisplayName("publishes an event whose record was not acknowledged again, with the same id")
    void repeatsWithTheSameId() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
        }
        test.fleet
                .session(test.partition(installation))
                .emit(
                        installation.processId(),
                        EventType.LOGS,
                        installation.processId(),
                        RawJson.of("{\"logs\":[]}"),
                        null,
                        null);
        try (var _ = test.start("b")) {
            var logs =
                    test.records.await(
                            Topic.LOGS,
                            "logs",
                            received -> received.key().equals(installation.processId()));
            assertThat(logs.header(Headers.CE_ID)).endsWith("/2");
        }
    }

    @Test
    @DisplayName("shares its partitions with another and gives all back when it leaves")
    void shares() throws Exception {
        var fast = Map.of("group.session-timeout", "3s", "group.heartbeat-interval", "300ms");
        try (var a = test.start("a", fast)) {
            await().atMost(PATIENCE).until(() -> serving(a) == GatewayUnderTest.PARTITIONS);
            try (var b = test.start("b", fast)) {
                await().atMost(PATIENCE).until(() -> serving(a) == 2 && serving(b) == 2);
                test.backend.install(installation);
                for (int i = 0; i < 20; i++) {
                    assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                            .isEqualTo("success");
                }
            }
            await().atMost(PATIENCE).until(() -> serving(a) == GatewayUnderTest.PARTITIONS);
            assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                    .isEqualTo("success");
        }
    }

    private List<Received> answers(String requestId) {
        return test.records.matching(
                received ->
                        received.topic().equals(Topic.TOOL_RESULTS.suffix())
                                && received.key().equals(requestId));
    }
}
