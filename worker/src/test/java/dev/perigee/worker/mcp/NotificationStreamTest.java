package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@DisplayName("The stream of a server's own messages, and redirects, against fixture H")
final class NotificationStreamTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String CHANGED =
            "{'send':{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}";

    private final AtomicInteger toolChanges = new AtomicInteger();
    private final AtomicReference<@Nullable HttpTarget> target = new AtomicReference<>();
    private final LineRoom room = new LineRoom(ByteBudget.of(64 << 20));
    private final HttpConnections connections =
            HttpConnections.open(new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY), room);
    private HttpFixture server;
    private HttpMcpClient client;

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
        target.set(target(server));
        client = client(() -> Objects.requireNonNull(target.get()));
    }

    private static HttpTarget target(HttpFixture at) {
        return new HttpTarget(at.url(), Map.of("Authorization", "Bearer t1"), Map.of("key", "k1"));
    }

    private HttpMcpClient client(TargetSource of) {
        var listener =
                new McpListener() {
                    @Override
                    public void onToolsChanged() {
                        toolChanges.incrementAndGet();
                    }

                    @Override
                    public void onGarbage(Supplier<String> what) {}
                };
        return new HttpMcpClient(
                "p1",
                HttpTransport.STREAMABLE,
                of,
                connections,
                McpOptions.defaults(),
                new ServerMetrics(InstantSource.system()),
                listener);
    }

    @AfterEach
    void end() {
        client.close();
        connections.close();
        server.close();
    }

    private String echo() throws Exception {
        return echo(client);
    }

    private static String echo(HttpMcpClient client) throws Exception {
        var params = RawJson.of("{\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}");
        return client.request("tools/call", params, PATIENCE).text();
    }

    private JsonNode gets() throws Exception {
        return gets(server);
    }

    private static JsonNode gets(HttpFixture of) throws Exception {
        return of.seen().path("gets");
    }

    private void awaitStreams(int count) {
        await().atMost(PATIENCE).until(() -> server.seen().path("streams").asInt() == count);
    }

    private void awaitGets(int count) {
        await().atMost(PATIENCE).until(() -> gets().size() >= count);
    }

    @Test
    @DisplayName("The negotiated revision is named by POST, GET and DELETE")
    void namesTheRevision() throws Exception {
        server.order("{'protocol':'2025-06-18'}");
        echo();
        awaitGets(1);
        client.close();
        await().atMost(PATIENCE).until(() -> server.seen().path("deleted").asInt() == 1);

        var seen = server.seen();
        var version = "mcp-protocol-version";
        assertThat(seen.at("/headers/1").path(version).asString()).isEqualTo("2025-06-18");
        assertThat(seen.at("/headers/2").path(version).asString()).isEqualTo("2025-06-18");
        assertThat(seen.at("/gets/0/headers").path(version).asString()).isEqualTo("2025-06-18");
        assertThat(seen.at("/deletes/0").path(version).asString()).isEqualTo("2025-06-18");
    }

    @Test
    @DisplayName("A stream that the server closes is opened again, and misses no change")
    void opensAgain() throws Exception {
        echo();
        awaitStreams(1);
        assertThat(toolChanges).hasValue(0);

        server.order("{'cut':true}");
        awaitGets(2);
        awaitStreams(1);

        await().atMost(PATIENCE).until(() -> toolChanges.get() == 1);
        assertThat(gets().get(1).path("headers").has("last-event-id")).isFalse();
        assertThat(pauseMs()).isGreaterThanOrEqualTo(900);
        server.order(CHANGED + "}");
        await().atMost(PATIENCE).until(() -> toolChanges.get() == 2);
    }

    @Test
    @DisplayName("Where events have ids it continues after the last one, when it is told to")
    void continues() throws Exception {
        server.order("{'retry':600}");
        echo();
        awaitStreams(1);
        server.order(CHANGED + ",'id':'e-7'}");
        await().atMost(PATIENCE).until(() -> toolChanges.get() == 1);

        target.set(new HttpTarget(server.url(), Map.of("Authorization", "Bearer t2"), Map.of()));
        server.order("{'cut':true}");
        awaitGets(2);
        awaitStreams(1);

        var headers = gets().get(1).path("headers");
        assertThat(headers.path("last-event-id").asString()).isEqualTo("e-7");
        assertThat(headers.path("authorization").asString()).isEqualTo("Bearer t2");
        assertThat(pauseMs()).isBetween(600L, 20_000L);
        assertThat(toolChanges).hasValue(1);
    }

    private long pauseMs() throws Exception {
        return gets().get(1).path("at").asLong() - gets().get(0).path("at").asLong();
    }

    @Test
    @DisplayName("A server that is away for a while finds the stream opened again")
    void outlivesOutages() throws Exception {
        echo();
        awaitStreams(1);
        server.order("{'mode':'refuse'}");
        await().atMost(PATIENCE).until(() -> server.seen().path("streams").asInt() == 0);
        server.order("{'mode':'ok'}");
        awaitStreams(1);
        assertThat(server.count("initialize")).isEqualTo(1);
    }

    @Test
    @DisplayName("A session that the server forgot meanwhile is made anew with its stream")
    void findsTheSessionForgotten() throws Exception {
        echo();
        awaitStreams(1);

        server.order("{'forget':true}");
        await().atMost(PATIENCE).until(() -> toolChanges.get() == 1);
        echo();

        awaitStreams(1);
        assertThat(server.count("initialize")).isEqualTo(2);
        assertThat(server.count("tools/call")).isEqualTo(2);
    }

    @Test
    @DisplayName("A server that offers no stream is asked for one once")
    void offersNone() throws Exception {
        var statuses = List.of(405, 404, 400, 401, 501);
        var servers = new ArrayList<HttpFixture>();
        var clients = new ArrayList<HttpMcpClient>();
        try {
            for (int status : statuses) {
                var refusing = HttpFixture.start();
                servers.add(refusing);
                refusing.order("{'get':%d}".formatted(status));
                var asking = client(() -> target(refusing));
                clients.add(asking);
                echo(asking);
                await().atMost(PATIENCE).until(() -> !gets(refusing).isEmpty());
                echo(asking);
            }
            assertNoMoreGets(servers, Duration.ofMillis(3300));
            for (var refusing : servers) {
                assertThat(refusing.count("initialize")).isEqualTo(1);
            }
        } finally {
            clients.forEach(HttpMcpClient::close);
            servers.forEach(HttpFixture::close);
        }
    }

    @Test
    @DisplayName("No stream is opened for a client that is closed")
    void endsWithItsClient() throws Exception {
        server.order("{'retry':3000}"); // The client is closed before that is over.
        echo();
        awaitStreams(1);
        server.order("{'cut':true}");
        client.close();
        assertNoMoreGets(List.of(server), Duration.ofMillis(4800));
    }

    /** Within more than the longest first pause. */
    private static void assertNoMoreGets(List<HttpFixture> servers, Duration pause) {
        await().during(pause)
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            for (var asked : servers) {
                                assertThat(gets(asked)).hasSize(1);
                            }
                        });
    }

    @Test
    @DisplayName("The pauses grow, up to a minute, unless the server asks for more")
    void pausesGrow() {
        var second = Duration.ofSeconds(1);
        assertThat(NotificationStream.pause(second, 0, 0)).isEqualTo(second);
        assertThat(NotificationStream.pause(second, 3, 0)).isEqualTo(Duration.ofSeconds(8));
        assertThat(NotificationStream.pause(second, 3, 1)).isEqualTo(Duration.ofSeconds(12));
        assertThat(NotificationStream.pause(second, 1000, 0)).isEqualTo(Duration.ofMinutes(1));
        var asked = Duration.ofMinutes(4);
        assertThat(NotificationStream.pause(asked, 5, 0)).isEqualTo(asked);
    }

    @ParameterizedTest
    @CsvSource({"307", "308"})
    @DisplayName("A redirect to the same origin is followed with method, body and headers")
    void followsRedirects(int status) throws Exception {
        server.order("{'slash':%d,'token':'t1'}".formatted(status));

        assertThat(echo()).contains("hi");

        awaitStreams(1);
        var seen = server.seen();
        assertThat(seen.at("/headers/2/authorization").asString()).isEqualTo("Bearer t1");
        assertThat(seen.at("/headers/2").has("mcp-session-id")).isTrue();
        assertThat(seen.at("/queries/2/key").asString()).isEqualTo("k1");
        assertThat(server.count("tools/call")).isEqualTo(1);
        client.close();
        await().atMost(PATIENCE).until(() -> server.seen().path("deleted").asInt() == 1);
    }

    @Test
    @DisplayName("A redirect in a circle ends, and one elsewhere gets nothing")
    void endsRedirects() throws Exception {
        echo();
        server.order("{'mode':'redirect','location':'/mcp','only':'tools/call','reset':true}");
        assertThat(failure()).hasMessageContaining("in a circle");
        assertThat(server.count("tools/call")).isEqualTo(RedirectDecision.MOST + 1);

        try (var other = HttpFixture.start()) {
            server.order(
                    "{'mode':'redirect','location':'%s?k=s3cret','only':'tools/call'}"
                            .formatted(other.url()));
            var port = URI.create(other.url()).getPort();
            assertThat(failure())
                    .hasMessageContaining("to http://127.0.0.1:" + port + " (HTTP 307)")
                    .hasMessageNotContaining("s3cret");
            assertThat(other.seen().path("connections").asInt()).isZero();
        }
    }

    private McpException failure() {
        return Objects.requireNonNull(catchThrowableOfType(McpException.class, this::echo));
    }
}
