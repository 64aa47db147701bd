package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.OFFLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.mcp.BlackHole;
import dev.perigee.worker.mcp.HttpFixture;
import dev.perigee.worker.mcp.HttpSettings;
import dev.perigee.worker.tool.RetrySettings;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A host that drops connection attempts is offline, whichever deadline is the first")
final class UnreachableHostTest {
    private static final Map<String, String> ECHO = Map.of("message", "hi");

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** What takes minutes with the times of production takes seconds with a quarter of each. */
    private static final int QUICKER = 4;

    /** As in production, where the bench has quicker ones; each time a part of what it is. */
    private static Map<String, String> defaults(int quicker) {
        var defaults = InstanceSettings.SCHEMA.defaults();
        return Map.of(
                "http.connect-timeout", part(defaults.value(HttpSettings.CONNECT_TIMEOUT), quicker),
                "mcp.handshake-timeout",
                        part(defaults.value(InstanceSettings.HANDSHAKE_TIMEOUT), quicker),
                "retry.delays",
                        defaults.value(RetrySettings.DELAYS).stream()
                                .map(delay -> part(delay, quicker))
                                .collect(Collectors.joining(",")));
    }

    private static String part(Duration whole, int quicker) {
        return whole.toMillis() / quicker + "ms";
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportType.class,
            names = {"HTTP", "SSE"})
    @Tag("long")
    @DisplayName("REC-28: with default settings, when it is installed")
    void isInstalled(TransportType transport) throws Exception {
        isInstalled(transport, 1);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportType.class,
            names = {"HTTP", "SSE"})
    @DisplayName("REC-28: with default settings in scale, when it is installed")
    void isInstalledByDefault(TransportType transport) throws Exception {
        isInstalled(transport, QUICKER);
    }

    private static void isInstalled(TransportType transport, int quicker) throws Exception {
        try (var hole = BlackHole.open();
                var bench = new InstanceBench(defaults(quicker))) {
            assertInstalledOffline(bench, config(transport, hole.url()));
        }
    }

    @Test
    @Tag("long")
    @DisplayName("REC-22, REC-28: with default settings, when an online server is called")
    void isCalled() throws Exception {
        isCalled(1);
    }

    @Test
    @DisplayName("REC-22, REC-28: with default settings in scale, when an online server is called")
    void isCalledByDefault() throws Exception {
        isCalled(QUICKER);
    }

    private static void isCalled(int quicker) throws Exception {
        try (var server = HttpFixture.start();
                var bench = new InstanceBench(defaults(quicker))) {
            var config = online(bench, server);
            try (var _ = replaced(server)) {
                var order = request(bench, config, DEFAULT_TIMEOUT.dividedBy(quicker));
                assertThat(bench.instances.execute(order).answered()).isNull();
                var result = bench.result(order, DEFAULT_TIMEOUT.plusSeconds(10));

                assertThat(result.attempts()).isEqualTo(3);
                assertUnreachable(bench, config, result);
            }
        }
    }

    @ParameterizedTest
    @DisplayName("REC-28: with scaled settings, when it is installed")
    @CsvSource({"HTTP, 200ms, 10s", "HTTP, 10s, 200ms", "SSE, 200ms, 10s", "SSE, 10s, 200ms"})
    void isInstalledScaled(TransportType transport, String connect, String handshake)
            throws Exception {
        var settings = Map.of("http.connect-timeout", connect, "mcp.handshake-timeout", handshake);
        try (var hole = BlackHole.open();
                var bench = new InstanceBench(settings)) {
            assertInstalledOffline(bench, config(transport, hole.url()));
        }
    }

    @ParameterizedTest
    @DisplayName("REC-28: with scaled settings, when an online server is called")
    @CsvSource({"2500ms, 7400, 3", "10s, 3000, 1", "100ms, 10000, 3"})
    void isCalledScaled(String connect, long timeoutMs, int attempts) throws Exception {
        var settings = Map.of("http.connect-timeout", connect, "retry.delays", "20ms,40ms");
        try (var server = HttpFixture.start();
                var bench = new InstanceBench(settings)) {
            var config = online(bench, server);
            try (var _ = replaced(server)) {
                var result = bench.call(config, "echo", ECHO, Duration.ofMillis(timeoutMs));

                assertThat(result.attempts()).isEqualTo(attempts);
                assertUnreachable(bench, config, result);
            }
        }
    }

    @Test
    @DisplayName("Calls that wait for one another's session find the same")
    void isCalledByMany() throws Exception {
        try (var hole = BlackHole.open();
                var bench = new InstanceBench(Map.of("http.connect-timeout", "200ms"))) {
            var config = config(TransportType.HTTP, hole.url());
            assertInstalledOffline(bench, config);
            try (var slow = new InstanceBench(Map.of("mcp.handshake-timeout", "200ms"))) {
                assertInstalledOffline(slow, config);
                var orders =
                        List.of(
                                request(slow, config, Duration.ofSeconds(2)),
                                request(slow, config, Duration.ofMillis(2100)),
                                request(slow, config, Duration.ofMillis(2200)));
                var results = new ArrayList<ToolResult>();
                orders.forEach(slow.instances::execute);
                for (var order : orders) {
                    results.add(slow.result(order));
                }
                assertThat(results).allSatisfy(result -> assertUnreachable(slow, config, result));
            }
        }
    }

    @Test
    @DisplayName("A server that accepts the connection and is silent is no unreachable host")
    void isSilent() throws Exception {
        try (var server = HttpFixture.start();
                var bench = new InstanceBench(Map.of())) {
            var config = online(bench, server);
            server.order("{'mode':'silent'}");

            var result = bench.call(config, "echo", ECHO, Duration.ofSeconds(2));

            assertThat(result.error())
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
            assertThat(bench.snapshot(config).status()).isNotEqualTo(OFFLINE);
        }
    }

    private static void assertInstalledOffline(InstanceBench bench, ServerConfig config) {
        var outcome = bench.configure(config);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(outcome.details())
                .satisfies(details -> assertThat(details.resultingStatus()).isEqualTo(OFFLINE));
        assertThat(bench.journal(config).all(StatusChanged.class).getLast().statusMessage())
                .isEqualTo("Server unreachable");
    }

    private static void assertUnreachable(
            InstanceBench bench, ServerConfig config, ToolResult result) {
        assertThat(result.error())
                .satisfies(
                        error -> {
                            assertThat(error.code()).isEqualTo(ErrorCode.SERVER_UNREACHABLE);
                            assertThat(error.retryable()).isTrue();
                            assertThat(error.message()).startsWith("Server unreachable (");
                        });
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == OFFLINE);
        assertThat(bench.snapshot(config).statusMessage()).isEqualTo("Server unreachable");
    }

    /** The server is gone, and its host drops what comes for it. */
    private static BlackHole replaced(HttpFixture server) throws Exception {
        server.close();
        return BlackHole.on(URI.create(server.url()).getPort());
    }

    private static ToolOrder.Execute request(
            InstanceBench bench, ServerConfig config, Duration timeout) {
        return bench.request(config, "tools/call", config.serverSlug() + ":echo", ECHO, timeout);
    }

    private static ServerConfig online(InstanceBench bench, HttpFixture server) {
        var config = config(TransportType.HTTP, server.url());
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return config;
    }

    private static ServerConfig config(TransportType transport, String url) {
        return ServerConfigBuilder.elsewhere(
                        "a", "slug-a", new Owner("t1", "acme", "u1", "alice"), transport, url)
                .installationName("name-a")
                .build();
    }
}
