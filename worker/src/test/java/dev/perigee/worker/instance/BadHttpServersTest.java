package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.mcp.HttpFixture;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What an HTTP server does wrong ends in a status and harms nobody")
final class BadHttpServersTest {
    private InstanceBench bench = bench("10s");
    private HttpFixture bad;
    private HttpFixture well;

    private static InstanceBench bench(String requestTimeout) {
        return new InstanceBench(
                Map.of("retry.delays", "20ms,40ms", "mcp.request-timeout", requestTimeout));
    }

    @BeforeEach
    void start() throws Exception {
        bad = HttpFixture.start("--json");
        well = HttpFixture.start();
        assertThat(bench.configure(config("well", well.url())).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);
    }

    @AfterEach
    void end() {
        var bystander = config("well", well.url());
        assertThat(bench.text(bystander, "echo", Map.of("message", "well"))).isEqualTo("well");
        bench.close();
        bad.close();
        well.close();
    }

    @ParameterizedTest
    @CsvSource({
        "html, ERROR",
        "garbage, ERROR",
        "half, OFFLINE",
        "endless, ERROR",
    })
    void listsNoTools(String mode, ServerStatus status) throws Exception {
        bad.order("{'mode':'%s','only':'tools/list'}".formatted(mode));
        var config = config("bad", bad.url());

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);

        assertThat(bench.snapshot(config).status()).isEqualTo(status);
        assertThat(bench.journal(config).all(StatusChanged.class).getLast().statusMessage())
                .isNotBlank()
                .hasSizeLessThan(1_000);
    }

    @Test
    void saysNothing() throws Exception {
        bench.close();
        bench = bench("2s");
        bench.configure(config("well", well.url()));

        listsNoTools("silent", ServerStatus.ERROR);
    }

    @Test
    @DisplayName("a redirect is not followed, so credentials stay where they belong")
    void redirects() throws Exception {
        well.order("{'reset':true}");
        bad.order("{'mode':'redirect','location':'%s'}".formatted(well.url()));
        var config = config("bad", bad.url());

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);

        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);
        assertThat(bench.snapshot(config).statusMessage()).contains("redirect");
        assertThat(well.seen().path("requests").isEmpty()).isTrue();
    }

    @Test
    void listsTenMegabytesOfTools() throws Exception {
        var tool =
                "{'name':'t%d','description':'%s','inputSchema':{'type':'object'}}"
                        .formatted(0, "x".repeat(10 << 20));
        bad.order("{'tools':[%s]}".formatted(tool));
        var config = config("bad", bad.url());

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);

        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);
        assertThat(bench.snapshot(config).statusMessage()).contains("bytes");
    }

    @Test
    void listsOthersEachTime() throws Exception {
        bad.order("{'changing':true}");
        var config = config("bad", bad.url());

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        bench.settle(bench.instances.recover(bench.order(config.processId())));

        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);
        assertThat(bench.snapshot(config).tools())
                .anyMatch(tool -> tool.toolName().equals("changing-2"));
    }

    @ParameterizedTest
    @CsvSource({"html, ERROR", "garbage, ERROR", "half, OFFLINE", "endless, ONLINE"})
    void answersNoCall(String mode, ServerStatus status) throws Exception {
        var config = config("bad", bad.url());
        bench.configure(config);
        bad.order("{'mode':'%s','only':'tools/call'}".formatted(mode));

        var result = bench.call(config, "echo", Map.of("message", "hi"));

        assertThat(result.outcome()).isEqualTo(ToolOutcome.FAILED);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == status);
        bad.order("{'mode':'ok'}");
        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
    }

    private static ServerConfig config(String id, String url) {
        return ServerConfigBuilder.elsewhere(
                        id,
                        "slug-" + id,
                        new Owner("t1", "acme", "u1", "alice"),
                        TransportType.HTTP,
                        url)
                .installationName("name-" + id)
                .headers(Map.of("Authorization", "Bearer secret-of-" + id))
                .build();
    }
}
