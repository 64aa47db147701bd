package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-14: an answer whose stream the server ends before it")
final class ResumedAnswerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int RETRY_MILLIS = 300;

    private final LineRoom room = new LineRoom(ByteBudget.of(64 << 20));
    private final HttpConnections connections =
            HttpConnections.open(new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY), room);

    @AfterEach
    void close() {
        connections.close();
    }

    @ParameterizedTest
    @CsvSource({"1, false", "3, false", "2, true", "2, half"})
    @DisplayName(
            "comes in a stream behind the last event, after the pause that the server asks for")
    void resumes(int polls, String torn) throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(polls, torn));

            assertThat(echo(client, PATIENCE)).contains("\"hi\"");

            var resumed = resumed(server);
            assertThat(resumed)
                    .extracting(get -> get.at("/headers/last-event-id").asString())
                    .extracting(id -> id.substring(id.lastIndexOf('/') + 1))
                    .containsExactlyElementsOf(List.of("0", "1", "2").subList(0, polls));
            assertThat(resumed)
                    .allSatisfy(
                            get ->
                                    assertThat(get.at("/headers/mcp-session-id").asString())
                                            .startsWith("h-"));
            long sent = server.seen().path("at").get(2).asLong();
            assertThat(resumed.getFirst().path("at").asLong() - sent)
                    .isGreaterThanOrEqualTo(RETRY_MILLIS);
            assertThat(server.count("tools/call")).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> room.budget().used() == 0);
        }
    }

    @Test
    @DisplayName("comes from a server without sessions, too")
    void withoutSession() throws Exception {
        try (var server = HttpFixture.start("--stateless");
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(1, "false"));
            assertThat(echo(client, PATIENCE)).contains("\"hi\"");
        }
    }

    @Test
    @DisplayName("is lost where the server refuses the stream; the request is not sent again")
    void isRefused() throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(1, "false").replace("}", ",'get':404}"));
            var why = failure(client, PATIENCE);
            assertThat(why.kind()).isEqualTo(McpException.Kind.INVALID_ANSWER);
            assertThat(why.sent()).isTrue();
            assertThat(server.count("tools/call")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {409, 503})
    @DisplayName("is asked for again where the server is busy")
    void isBusy(int status) throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(1, "false"));
            server.order("{'mode':'status','status':%d,'only':'GET','times':1}".formatted(status));
            assertThat(echo(client, PATIENCE)).contains("\"hi\"");
        }
    }

    @Test
    @DisplayName("is asked for again where a stream says nothing")
    void isSilent() throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(1, "false").replace("}", ",'mute':true}"));
            assertThat(echo(client, PATIENCE)).contains("\"hi\"");
            assertThat(resumed(server)).hasSize(2);
        }
    }

    @Test
    @DisplayName("is given up where the server is gone")
    void isGone() throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(1_000_000, "false")); // The answer is not there before it goes.
            var request = send(client);
            await().atMost(PATIENCE).until(() -> server.count("tools/call") == 1);
            server.order("{'mode':'refuse'}");
            var why = catchThrowableOfType(McpException.class, () -> request.await(PATIENCE));
            assertThat(Objects.requireNonNull(why).kind()).isEqualTo(McpException.Kind.UNREACHABLE);
            assertThat(why.sent()).isTrue();
        }
    }

    @Test
    @DisplayName("has the time of its call; that it was sent is known, and the server is told")
    void hasItsTime() throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order("{'polls':1,'retry':60000}");
            var why = failure(client, Duration.ofSeconds(3));
            assertThat(why.kind()).isEqualTo(McpException.Kind.TIMEOUT);
            assertThat(why.sent()).isTrue();
            await().atMost(PATIENCE).until(() -> server.count("notifications/cancelled") == 1);
            assertThat(resumed(server)).isEmpty();
        }
    }

    @Test
    @DisplayName("of a modern server is lost: its streams cannot be gone on with")
    void modern() throws Exception {
        try (var server = HttpFixture.start("--modern");
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            server.order(ordered(1, "false"));
            assertThat(failure(client, PATIENCE).kind())
                    .isEqualTo(McpException.Kind.INVALID_ANSWER);
            assertThat(server.seen().path("gets")).isEmpty();
            assertThat(server.count("tools/call")).isEqualTo(1);
        }
    }

    private static String ordered(int polls, String torn) {
        return "{'polls':%d,'torn':%s,'retry':%d}"
                .formatted(polls, torn.equals("half") ? "'half'" : torn, RETRY_MILLIS);
    }

    /** What went on behind an event, without the stream of notices. */
    private static List<JsonNode> resumed(HttpFixture server) throws Exception {
        return server.seen()
                .path("gets")
                .valueStream()
                .filter(get -> get.path("headers").has("last-event-id"))
                .toList();
    }

    private static McpRequest send(HttpMcpClient client) throws Exception {
        var params = RawJson.of("{\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}");
        return client.send("tools/call", params, PATIENCE);
    }

    private static String echo(HttpMcpClient client, Duration timeout) throws Exception {
        var request = send(client);
        try {
            return request.await(timeout).text();
        } finally {
            request.done();
        }
    }

    private static McpException failure(HttpMcpClient client, Duration timeout) {
        var why = catchThrowableOfType(McpException.class, () -> echo(client, timeout));
        return Objects.requireNonNull(why);
    }
}
