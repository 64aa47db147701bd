package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.mcp.HttpFixture;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What the failure of one call says of its HTTP server")
final class HttpCallFailuresTest {
    private static final Map<String, String> ECHO = Map.of("message", "hi");

    private final InstanceBench bench = new InstanceBench(Map.of("retry.delays", "20ms,40ms"));
    private HttpFixture server;

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
    }

    @AfterEach
    void end() {
        bench.close();
        server.close();
    }

    @ParameterizedTest
    @DisplayName("CAL-15, REC-31: words in a tool's error change no status")
    @ValueSource(
            strings = {
                "401",
                "HTTP 401",
                "status code: 403 Forbidden",
                "unauthorized",
                "OAuth token expired",
                "authorization required",
                "invalid_token",
            })
    void ignoresWords(String words) throws Exception {
        var config = online();

        var error = bench.call(config, "rpc_error", Map.of("message", words));
        assertThat(error.outcome()).isEqualTo(ToolOutcome.FAILED);
        assertThat(error.attempts()).isEqualTo(1);
        assertThat(error.error())
                .satisfies(
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.SERVER_ERROR);
                            assertThat(e.message()).isEqualTo(words);
                        });
        assertThat(bench.call(config, "tool_error", Map.of("text", words)).outcome())
                .isEqualTo(ToolOutcome.TOOL_ERROR);

        assertStillOnline(config);
        assertThat(server.count("tools/call")).isEqualTo(3);
    }

    @ParameterizedTest
    @DisplayName("CAL-15: 429, 400, 404, 409 and their like are about this one call")
    @CsvSource({
        "400, 1, SERVER_ERROR",
        "404, 2, SERVER_ERROR",
        "409, 1, SERVER_ERROR",
        "413, 1, SERVER_ERROR",
        "422, 1, SERVER_ERROR",
        "429, 1, OVERLOADED",
    })
    void blamesTheCall(int status, int sent, ErrorCode code) throws Exception {
        var config = online();
        server.order(
                "{'mode':'status','status':%d,'only':'tools/call','text':'unauthorized?'}"
                        .formatted(status));

        var result = bench.call(config, "counter_idempotent", ECHO);

        assertThat(result.outcome()).isEqualTo(ToolOutcome.FAILED);
        assertThat(result.attempts()).isEqualTo(1);
        assertThat(result.error())
                .satisfies(
                        e -> {
                            assertThat(e.code()).isEqualTo(code);
                            assertThat(e.retryable()).isEqualTo(status == 429);
                            assertThat(e.message()).startsWith("HTTP " + status);
                        });
        assertThat(server.count("tools/call")).isEqualTo(sent);
        server.order("{'mode':'ok'}");
        assertStillOnline(config);
    }

    @ParameterizedTest
    @DisplayName("REC-32: what a server read before it reset the connection runs again if it may")
    @CsvSource({"counter, 1", "counter_idempotent, 3"})
    void repeatsNothingThatWasSent(String tool, int times) throws Exception {
        var config = online();
        server.order("{'mode':'reset_after_body','only':'tools/call'}");

        var result = bench.call(config, tool, Map.of());

        assertThat(result.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN));
        assertThat(result.attempts()).isEqualTo(times);
        assertThat(server.count("tools/call")).isEqualTo(times);
    }

    @ParameterizedTest
    @DisplayName("REC-25, REC-26: a refusal is asked for once, also of what may run twice")
    @CsvSource({"401, Authentication failed (HTTP 401)", "403, Access forbidden (HTTP 403)"})
    void asksOnceWhereItIsRefused(int status, String message) throws Exception {
        var config = online();
        server.order("{'mode':'status','status':%d,'only':'tools/call'}".formatted(status));

        var result = bench.call(config, "counter_idempotent", Map.of());

        assertThat(result.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.REQUIRES_REAUTH));
        assertThat(result.attempts()).isEqualTo(1);
        assertThat(server.count("tools/call")).isEqualTo(1);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == REQUIRES_REAUTH);
        assertThat(bench.snapshot(config).statusMessage()).isEqualTo(message);
    }

    @Test
    @DisplayName("CAL-15: a refusal with WWW-Authenticate means that its user must authorize")
    void hearsChallenges() throws Exception {
        var config = online();
        server.order(
                "{'mode':'status','status':400,'only':'tools/call','headers':{'www-authenticate':'Bearer'}}");

        var result = bench.call(config, "echo", ECHO);

        assertThat(result.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.REQUIRES_REAUTH));
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == REQUIRES_REAUTH);
    }

    @Test
    @DisplayName("REC-27: a handshake refused for want of authorization waits for it")
    void needsAuthorization() throws Exception {
        server.order("{'mode':'rpc_error','only':'initialize'}");
        var config = config();

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);

        assertThat(bench.snapshot(config).status()).isEqualTo(REQUIRES_REAUTH);
        assertThat(bench.snapshot(config).statusMessage()).isEqualTo("authorization required");
        assertThat(server.count("initialize")).isEqualTo(1);
    }

    @Test
    @DisplayName("CAL-15: a server that is asked too often is asked again after its Retry-After")
    void waitsAsLongAsAsked() throws Exception {
        var config = online();
        server.order(
                "{'mode':'status','status':429,'only':'tools/call','times':1,'headers':{'retry-after':'1'}}");

        var result = bench.call(config, "counter", Map.of());

        assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(result.attempts()).isEqualTo(2);
        assertThat(result.durationMs()).isGreaterThanOrEqualTo(1000);
        assertThat(server.seen().path("counter").asInt()).isEqualTo(1);
        assertStillOnline(config);
    }

    @Test
    @DisplayName("CAL-15: a Retry-After beyond the deadline is in the error at once")
    void passesLongWaitsOn() throws Exception {
        var config = online();
        server.order(
                "{'mode':'status','status':429,'only':'tools/call','headers':{'retry-after':'60'}}");

        var result = bench.call(config, "counter", Map.of());

        assertThat(result.attempts()).isEqualTo(1);
        assertThat(result.error())
                .satisfies(
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                            assertThat(e.retryable()).isTrue();
                            assertThat(e.message()).contains("try again in 60 s");
                        });
        server.order("{'mode':'ok'}");
        assertStillOnline(config);
    }

    @Test
    @DisplayName("CAL-15: an overloaded server is asked again only for what may run twice")
    void repeatsWhatMayRunTwice() throws Exception {
        var config = online();
        var overloaded =
                "{'mode':'status','status':503,'only':'tools/call','times':1,'headers':{'retry-after':'1'}}";
        server.order(overloaded);
        var repeated = bench.call(config, "counter_idempotent", Map.of());
        assertThat(repeated.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(repeated.durationMs()).isGreaterThanOrEqualTo(1000);

        server.order(overloaded);
        var once = bench.call(config, "counter", Map.of());
        assertThat(once.attempts()).isEqualTo(1);
        assertThat(once.error())
                .satisfies(
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.SERVER_ERROR);
                            assertThat(e.retryable()).isFalse();
                            assertThat(e.message()).contains("HTTP 503", "try again in 1 s");
                        });
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == ERROR);
    }

    /** And has been all the time. */
    private void assertStillOnline(ServerConfig config) {
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);
        assertThat(bench.journal(config).all(StatusChanged.class)).hasSize(5);
    }

    private ServerConfig online() {
        var config = config();
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return config;
    }

    private ServerConfig config() {
        return ServerConfigBuilder.elsewhere(
                        "a",
                        "slug-a",
                        new Owner("t1", "acme", "u1", "alice"),
                        TransportType.HTTP,
                        server.url())
                .installationName("name-a")
                .build();
    }
}
