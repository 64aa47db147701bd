package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.mcp.McpException.Kind;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("HTTP responses that refuse a call or send it elsewhere")
final class RefusalsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpConnections connections =
            HttpConnections.open(
                    new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY),
                    new LineRoom(ByteBudget.of(1 << 20)));
    private HttpFixture server;
    private HttpMcpClient client;

    @BeforeEach
    void open() throws Exception {
        server = HttpFixture.start();
        client = server.client(connections);
        assertThat(counted()).contains("1");
        await().atMost(PATIENCE).until(() -> server.seen().path("streams").asInt() == 1);
    }

    @AfterEach
    void close() {
        client.close();
        connections.close();
        server.close();
    }

    private String counted() throws Exception {
        return client.request(
                        "tools/call",
                        RawJson.of("{\"name\":\"counter\",\"arguments\":{}}"),
                        PATIENCE)
                .text();
    }

    private McpException failure() {
        return Objects.requireNonNull(catchThrowableOfType(McpException.class, this::counted));
    }

    @Test
    @DisplayName("a 400 that answers the call runs it once, whatever sessions it speaks of")
    void takesItsAnswer() throws Exception {
        server.order(
                "{'mode':'status','status':400,'only':'tools/call','text':"
                        + "'{\\'jsonrpc\\':\\'2.0\\',\\'id\\':3,\\'error\\':{\\'code\\':-32602,"
                        + "\\'message\\':\\'the browser session has ended\\'}}'}");

        var failure = failure();

        assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
        assertThat(failure).hasMessage("the browser session has ended");
        assertThat(server.count("tools/call")).isEqualTo(2);
        assertThat(server.count("initialize")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"401,UNAUTHORIZED", "403,FORBIDDEN", "429,RATE_LIMITED", "500,HTTP_FAILED"})
    @DisplayName("a refusal whose body does not end is one after a second, and its connection left")
    void doesNotWaitForBodies(int status, Kind kind) throws Exception {
        int open = server.seen().path("open").asInt();
        server.order(
                "{'mode':'status','status':%d,'only':'tools/call','open':true}".formatted(status));
        long begin = System.nanoTime();

        assertThat(failure().kind()).isEqualTo(kind);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE.dividedBy(2));
        await().atMost(PATIENCE).until(() -> server.seen().path("open").asInt() <= open);
    }

    @Test
    @DisplayName("a redirect whose body does not end is followed after a second")
    void doesNotWaitForRedirects() throws Exception {
        server.order(
                "{'mode':'redirect','location':'/mcp','only':'tools/call','times':1,'open':true}");

        assertThat(counted()).contains("2");

        assertThat(server.count("tools/call")).isEqualTo(3);
    }
}
