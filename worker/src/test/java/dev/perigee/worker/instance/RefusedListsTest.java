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
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.worker.mcp.HttpFixture;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An HTTP server that refuses to list its tools")
final class RefusedListsTest {
    private static final String CHANGED =
            "{'send':{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}}";

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

        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == ERROR);
        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == ONLINE);
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

    @ParameterizedTest
    @CsvSource({"400, 1, 2000", "404, 2, 2000", "409, 1, 2000", "429, 1, 2000", "429, 3, 1000"})
    @DisplayName("this time stays online with the tools it had, and is asked again after a while")
    void asksAgain(int status, int times, long leastMillis) throws Exception {
        var config = listening();
        int before = bench.journal(config).all(StatusChanged.class).size();
        var asked = status == 429 && times > 1 ? "'retry-after':'1'" : "";
        server.order(
                "{'mode':'status','status':%d,'only':'tools/list','times':%d,'headers':{%s},'tools':['echo'],'reset':true}"
                        .formatted(status, times, asked));
        long begin = System.nanoTime();

        server.order(CHANGED);

        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench
                                        .journal(config)
                                        .all(ToolsDiscovered.class)
                                        .getLast()
                                        .tools()
                                        .stream()
                                        .map(DiscoveredTool::toolName)
                                        .toList()
                                        .equals(List.of("echo")));
        assertThat((System.nanoTime() - begin) / 1_000_000).isGreaterThanOrEqualTo(leastMillis);
        assertThat(server.count("tools/list")).isEqualTo(times + 1);
        assertThat(bench.journal(config).all(StatusChanged.class)).hasSize(before);
        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"initialize", "tools/list"})
    @DisplayName("or its handshake for a moment that it names is started all the same")
    void waitsAtInstall(String method) throws Exception {
        server.order(
                "{'mode':'status','status':429,'only':'%s','times':1,'headers':{'retry-after':'1'}}"
                        .formatted(method));
        long begin = System.nanoTime();

        assertThat(bench.configure(config()).outcome()).isEqualTo(CommandOutcome.COMPLETED);

        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(1_000_000_000L);
        assertThat(server.count(method)).isEqualTo(2);
    }

    /** Online, and told of what its server announces. */
    private ServerConfig listening() {
        var config = config();
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> server.seen().path("streams").asInt() == 1);
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
