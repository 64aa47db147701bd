package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.HttpMcpClient;
import dev.perigee.worker.mcp.HttpOptions;
import dev.perigee.worker.mcp.HttpTarget;
import dev.perigee.worker.mcp.HttpTransport;
import dev.perigee.worker.mcp.LineRoom;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpListener;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.mcp.ServerMetrics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The worker's HTTP client with server-everything from npm")
final class HttpServersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AtomicInteger missed = new AtomicInteger();
    private final McpListener listener =
            new McpListener() {
                @Override
                public void onToolsChanged() {}

                @Override
                public void onToolsMissed() {
                    missed.incrementAndGet();
                }

                @Override
                public void onGarbage(Supplier<String> what) {}
            };

    @ParameterizedTest
    @CsvSource({"streamableHttp,STREAMABLE", "sse,SSE"})
    @DisplayName("Answers many calls, is stopped and started, and answers again")
    void survivesItsServer(String mode, HttpTransport transport) throws Exception {
        var server = EverythingServer.started(mode);
        var target = new HttpTarget(server.url().toString(), Map.of(), Map.of());
        var connections =
                HttpConnections.open(
                        new HttpOptions(
                                Duration.ofSeconds(5), Duration.ofSeconds(5), LocalEgress.POLICY),
                        new LineRoom(ByteBudget.of(64 << 20)));
        var client =
                new HttpMcpClient(
                        "everything",
                        transport,
                        () -> target,
                        connections,
                        McpOptions.defaults(),
                        new ServerMetrics(InstantSource.system()),
                        listener);
        try (server;
                connections;
                client) {
            assertThat(client.initialize(PATIENCE).offersTools()).isTrue();
            assertThat(client.request("tools/list", RawJson.EMPTY_OBJECT, PATIENCE).text())
                    .contains("\"name\":\"echo\"");
            echoesAtOnce(client);

            server.stop();
            var failure =
                    Objects.requireNonNull(
                            catchThrowableOfType(McpException.class, () -> echo(client, "gone")));
            assertThat(failure.kind()).isEqualTo(McpException.Kind.UNREACHABLE);

            server.start();
            if (transport == HttpTransport.STREAMABLE) {
                // Its stream is opened again by itself, and finds that the session is gone.
                await().atMost(PATIENCE).until(() -> missed.get() == 1);
            }
            assertThat(echo(client, "back")).contains("Echo: back");
        }
    }

    private static void echoesAtOnce(HttpMcpClient client) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers =
                    IntStream.range(0, 64)
                            .mapToObj(i -> threads.submit(() -> echo(client, "<" + i + ">")))
                            .toList();
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get()).contains("Echo: <" + i + ">");
            }
        }
    }

    private static String echo(HttpMcpClient client, String message) throws Exception {
        var params = "{\"name\":\"echo\",\"arguments\":{\"message\":\"%s\"}}".formatted(message);
        return client.request("tools/call", RawJson.of(params), PATIENCE).text();
    }
}
