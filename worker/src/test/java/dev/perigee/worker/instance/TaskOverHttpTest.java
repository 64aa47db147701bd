package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-08: a task of a server over HTTP that cannot be asked for any more")
final class TaskOverHttpTest {
    private static final Map<String, String> RESULTS =
            Map.of(
                    "initialize",
                    """
                    {"protocolVersion":"2025-11-25","serverInfo":{"name":"t","version":"1"},
                    "capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}}""",
                    "tools/list",
                    """
                    {"tools":[{"name":"work","inputSchema":{"type":"object"},
                    "execution":{"taskSupport":"required"}}]}""",
                    "tools/call",
                    """
                    {"task":{"taskId":"t1","status":"working","pollInterval":0}}""",
                    "tasks/get",
                    """
                    {"taskId":"t1","status":"working","pollInterval":0}""",
                    "tasks/result",
                    """
                    {"content":[]}""");

    private final InstanceBench bench = new InstanceBench();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile boolean refuses;
    private volatile boolean done;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void end() {
        bench.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = exchange.getRequestBody().readAllBytes();
            if (!exchange.getRequestMethod().equals("POST")) {
                exchange.sendResponseHeaders(405, -1);
                return;
            }
            var message = Json.tree(body);
            var method = message.path("method").asString("");
            asked.add(
                    "%s at %s by %s"
                            .formatted(
                                    method,
                                    exchange.getRequestURI().getPath(),
                                    exchange.getRequestHeaders().getFirst("X-Who")));
            if (!message.has("id")) {
                exchange.sendResponseHeaders(202, -1);
            } else if (refuses && method.equals("tasks/get")) {
                exchange.sendResponseHeaders(401, -1);
            } else {
                var result = RESULTS.getOrDefault(method, "{}");
                var answer =
                        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}"
                                .formatted(
                                        message.path("id"),
                                        done ? result.replace("working", "completed") : result)
                                .getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        }
    }

    private ServerConfig config(String path, String who) {
        var url = "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path);
        return ServerConfigBuilder.elsewhere(
                        "a",
                        "slug-a",
                        new Owner("t1", "acme", "u1", "alice"),
                        TransportType.HTTP,
                        url)
                .headers(Map.of("X-Who", who))
                .build();
    }

    private ToolResult resultAfter(Runnable change) {
        var config = config("/mcp", "first");
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        var order = bench.request(config, "tools/call", "slug-a:work", RawJson.EMPTY_OBJECT);
        assertThat(bench.instances.execute(order).answered()).isNull();
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> asked.contains("tasks/get at /mcp by first"));
        change.run();
        return bench.result(order);
    }

    private ErrorCode codeAfter(Runnable change) {
        var error = resultAfter(change).error();
        assertThat(error).isNotNull();
        assertThat(error.retryable()).isFalse();
        return error.code();
    }

    @Test
    @DisplayName("credentials that it refuses by then are its status; of the call nothing is known")
    void isRefused() {
        assertThat(codeAfter(() -> refuses = true)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);

        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.snapshot(config("/mcp", "first")).status()
                                        == ServerStatus.REQUIRES_REAUTH);
    }

    @Test
    @DisplayName("another url hears nothing of the task")
    void isConfiguredOtherwise() {
        assertThat(codeAfter(() -> bench.configure(config("/other", "first"))))
                .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);

        assertThat(asked).noneMatch(each -> each.startsWith("tasks/") && each.contains("/other"));
    }

    @Test
    @DisplayName("with other headers its server is asked for it on")
    void isConfiguredInBetween() {
        var result =
                resultAfter(
                        () -> {
                            bench.configure(config("/mcp", "second"));
                            await().atMost(InstanceBench.PATIENCE)
                                    .until(() -> asked.contains("tasks/get at /mcp by second"));
                            done = true;
                        });

        assertThat(result.error()).isNull();
        assertThat(asked).noneMatch(each -> each.startsWith("tasks/cancel"));
    }
}
