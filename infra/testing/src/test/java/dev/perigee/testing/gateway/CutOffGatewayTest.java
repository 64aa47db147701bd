package dev.perigee.testing.gateway;

import static java.net.HttpURLConnection.HTTP_OK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.gateway.HandMadeFleet.Calls;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of its successor the gateway hears nothing, not even from the worker. */
@DisplayName("A gateway that is cut off from the broker")
final class CutOffGatewayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Map<String, String> TIMES =
            Map.of(
                    "request.silence-margin",
                    "100ms",
                    "group.session-timeout",
                    "3s",
                    "group.heartbeat-interval",
                    "500ms");
    @TempDir private static Path data;

    @Test
    @DisplayName(
            "asks the group before it answers what it decided itself, so that there is one answer")
    void asksTheGroup() throws Exception {
        try (var broker = BrokerBehindNetwork.start(data);
                var test = new GatewayUnderTest(broker.bootstrap());
                var cutOff = test.start("cut-off", broker.behind(), TIMES)) {
            var installation = Installation.of("echo", "node", List.of());
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            test.fleet.tellsNobodyOfSuccessors = true;
            var overdue = Instant.now().plus(DEADLINE).plusSeconds(1);
            var request =
                    test.backend.request(
                            installation,
                            "echo",
                            "{}",
                            r -> r.put("timeout_ms", DEADLINE.toMillis()));
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);

            var session = test.fleet.session(test.partition(installation));
            long epoch = session.epoch();
            broker.network().partition();
            try (var _ = test.start("successor", TIMES)) {
                await().atMost(PATIENCE).until(() -> session.epoch() > epoch);
                test.fleet.answerAll();
                assertThat(test.backend.answer(request).text("outcome")).isEqualTo("success");
                await().atMost(PATIENCE).until(() -> Instant.now().isAfter(overdue));
                broker.network().heal();

                await().atMost(PATIENCE).until(() -> isReady(cutOff) && holdsNothing(cutOff));
                test.fleet.calls = Calls.ANSWER;
                assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                        .isEqualTo("success");
                assertThat(test.records.on(Topic.TOOL_RESULTS))
                        .filteredOn(result -> result.text("request_id").equals(request))
                        .extracting(result -> result.text("outcome"))
                        .containsOnly("success");
            }
        }
    }

    private static boolean holdsNothing(Gateway gateway) {
        return gateway.metrics().get("perigee.gateway.publish.held").gauge().value() == 0;
    }

    private static boolean isReady(Gateway gateway) throws IOException, InterruptedException {
        var page = HttpRequest.newBuilder(gateway.adminUri().resolve("/health/ready")).build();
        try (var http = HttpClient.newHttpClient()) {
            return http.send(page, BodyHandlers.discarding()).statusCode() == HTTP_OK;
        }
    }
}
