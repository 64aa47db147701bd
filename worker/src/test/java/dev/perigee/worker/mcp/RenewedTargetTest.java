package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: credentials that may be others at any time")
final class RenewedTargetTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpConnections connections =
            HttpConnections.open(
                    new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY),
                    new LineRoom(ByteBudget.of(64 << 20)));
    private final Target target = new Target();
    private HttpFixture server;
    private HttpMcpClient client;

    /** Credentials that a renewal brings only after they were refused, or where none are reused. */
    private final class Target implements TargetSource {
        private volatile String carried = "first";
        private volatile String newest = "first";
        private volatile boolean reuses = true;
        private final AtomicInteger refusals = new AtomicInteger();

        private HttpTarget of(String token) {
            return new HttpTarget(
                    server.url(), Map.of("Authorization", "Bearer " + token), Map.of());
        }

        @Override
        public HttpTarget get() {
            return of(carried);
        }

        @Override
        public boolean isRenewable() {
            return true;
        }

        @Override
        public void renew(long deadlineNanos) {
            if (!reuses) {
                carried = newest;
            }
        }

        @Override
        public CompletableFuture<HttpTarget> renewed() {
            return CompletableFuture.supplyAsync(
                    () -> {
                        renew(0);
                        return get();
                    });
        }

        @Override
        public void refused(HttpTarget refused) {
            refusals.incrementAndGet();
            if (refused.equals(get())) {
                reuses = false;
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
        client =
                new HttpMcpClient(
                        "p1",
                        HttpTransport.STREAMABLE,
                        target,
                        connections,
                        McpOptions.defaults(),
                        new ServerMetrics(InstantSource.system()),
                        new McpListener() {
                            @Override
                            public void onToolsChanged() {}

                            @Override
                            public void onGarbage(Supplier<String> what) {}
                        });
    }

    @AfterEach
    void end() {
        client.close();
        connections.close();
        server.close();
    }

    private String echo() throws Exception {
        var params = RawJson.of("{\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}");
        return client.request("tools/call", params, PATIENCE).text();
    }

    private void rotate() throws Exception {
        target.newest = "second";
        server.order("{'token':'second'}");
    }

    private void awaitStreams(int count) {
        await().atMost(PATIENCE).until(() -> server.seen().path("streams").asInt() == count);
    }

    @Test
    @DisplayName(
            "are renewed for a call that was refused, which is sent once more in a new session")
    void callIsSentAgain() throws Exception {
        server.order("{'token':'first'}");
        echo();
        rotate();

        assertThat(echo()).contains("hi");

        assertThat(server.count("initialize")).isEqualTo(2);
        assertThat(server.count("tools/call")).isEqualTo(3);
    }

    @Test
    @DisplayName("are refused for good where there are no others, and the call is not sent again")
    void sameOnesAreRefused() throws Exception {
        echo();
        server.order("{'token':'second'}");

        var why = catchThrowableOfType(McpException.class, this::echo);

        assertThat(why.kind()).isEqualTo(McpException.Kind.UNAUTHORIZED);
        assertThat(server.count("tools/call")).isEqualTo(2);
    }

    @Test
    @DisplayName("are renewed for a handshake that was refused")
    void handshakeIsMadeAgain() throws Exception {
        rotate();

        assertThat(echo()).contains("hi");

        assertThat(server.count("initialize")).isEqualTo(2);
        assertThat(server.count("tools/call")).isEqualTo(1);
    }

    @Test
    @DisplayName("are renewed for a handshake that is refused in words")
    void handshakeRefusedInWords() throws Exception {
        target.newest = "second";
        server.order(
                "{'mode':'rpc_error','text':'access token expired','only':'initialize','times':1}");

        assertThat(echo()).contains("hi");
    }

    @Test
    @DisplayName("are renewed for the stream of notices, which their refusal does not end")
    void streamIsOpenedAgain() throws Exception {
        echo();
        awaitStreams(1);

        server.order("{'token':'second','cut':true}");
        await().atMost(PATIENCE).until(() -> target.refusals.get() >= 1);
        target.newest = "second";

        awaitStreams(1);
        assertThat(server.seen().path("gets").size()).isGreaterThan(2);
    }

    @Test
    @DisplayName("are renewed for the rest of an answer")
    void answerIsResumed() throws Exception {
        echo();
        server.order("{'polls':1,'retry':700}");
        var call = CompletableFuture.supplyAsync(this::resumed, Thread::startVirtualThread);
        await().atMost(PATIENCE).until(() -> server.count("tools/call") == 2);
        rotate();

        assertThat(call.get()).contains("hi");
    }

    private String resumed() {
        try {
            return echo();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("are renewed for the end of the session")
    void sessionIsEnded() throws Exception {
        echo();
        target.newest = "second";
        target.reuses = false;

        client.close();

        await().atMost(PATIENCE).until(() -> server.seen().path("deleted").asInt() == 1);
        assertThat(server.seen().at("/deletes/0/authorization").asString())
                .isEqualTo("Bearer second");
    }

    @Test
    @DisplayName("are no references: a target refuses them, in headers and in parameters")
    void noReferences() {
        var unresolved = Map.of("X", SecretReference.to("token"));

        assertThatThrownBy(() -> new HttpTarget("http://h/mcp", unresolved, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("token");
        assertThatThrownBy(() -> new HttpTarget("http://h/mcp", Map.of(), unresolved))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
