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
import dev.perigee.worker.mcp.HttpFixture;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An HTTP server that refuses to list its tools")
final class RefusedListsTest {
    private static final String CHANGED =
            "{'send':{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}}";

    private final Bench bench = new Bench(Map.of("retry.delays", "20ms,40ms"));
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
    @ValueSource(
            strings = {
                "upstream HTTP 401 unauthorized",
                "authorization required",
                "OAuth token expired",
            })
    @DisplayName("in words that only seem to ask for authorization: its calls go on")
    void ignoresWords(String words) throws Exception {
        var config = listening();
        server.order(
                "{'mode':'rpc_error','only':'tools/list','times':1,'text':'%s'}".formatted(words));

        server.order(CHANGED);

        await().atMost(Bench.PATIENCE).until(() -> bench.snapshot(config).status() == ERROR);
        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        await().atMost(Bench.PATIENCE).until(() -> bench.snapshot(config).status() == ONLINE);
        assertThat(bench.journal(config).all(StatusChanged.class))
                .extracting(StatusChanged::status)
                .doesNotContain(REQUIRES_REAUTH);
    }

    @Test
    @DisplayName("at first, in such words, has an error")
    void ignoresWordsAtFirst() throws Exception {
        server.order("{'mode':'rpc_error','only':'tools/list'}");
        var config = config();

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);

        assertThat(bench.snapshot(config).status()).isEqualTo(ERROR);
    }

    /** Online, and told of what its server announces. */
    private ServerConfig listening() {
        var config = config();
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        await().atMost(Bench.PATIENCE).until(() -> server.seen().path("streams").asInt() == 1);
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
