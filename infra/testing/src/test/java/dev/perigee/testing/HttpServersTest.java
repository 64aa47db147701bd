package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.HttpMcpClient;
import dev.perigee.worker.mcp.HttpOptions;
import dev.perigee.worker.mcp.HttpTarget;
import dev.perigee.worker.mcp.HttpTransport;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpListener;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.mcp.ServerMetrics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The worker's HTTP client with server-everything from npm")
final class HttpServersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final McpListener QUIET =
            new McpListener() {
                @Override
                public void onToolsChanged() {}

                @Override
                public void onGarbage(Supplier<String> what) {}
            };

    @ParameterizedTest
    @CsvSource({"streamableHttp,mcp,STREAMABLE", "sse,sse,SSE"})
    @DisplayName("Answers many calls, is stopped and started, and answers again")
    void survivesItsServer(String mode, String path, HttpTransport transport) throws Exception {
        int port = freePort();
        var target =
                new HttpTarget("http://127.0.0.1:%d/%s".formatted(port, path), Map.of(), Map.of());
        var connections =
                HttpConnections.open(new HttpOptions(Duration.ofSeconds(5), Duration.ofSeconds(5)));
        var client =
                new HttpMcpClient(
                        "everything",
                        transport,
                        () -> target,
                        connections,
                        McpOptions.defaults(),
                        new ServerMetrics(InstantSource.system()),
                        QUIET);
        try (connections;
                client) {
            var server = start(mode, port);
            try {
                assertThat(client.initialize(PATIENCE).offersTools()).isTrue();
                assertThat(client.request("tools/list", RawJson.EMPTY_OBJECT, PATIENCE).text())
                        .contains("\"name\":\"echo\"");
                echoesAtOnce(client);
            } finally {
                stop(server);
            }

            var failure =
                    Objects.requireNonNull(
                            catchThrowableOfType(McpException.class, () -> echo(client, "gone")));
            assertThat(failure.kind()).isEqualTo(McpException.Kind.UNREACHABLE);

            server = start(mode, port);
            try {
                assertThat(echo(client, "back")).contains("Echo: back");
            } finally {
                stop(server);
            }
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

    private static Process start(String mode, int port) throws IOException {
        var script = NpmServers.installed().entry("everything").toString();
        var builder =
                new ProcessBuilder(Fixtures.NODE, script, mode)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("PORT", Integer.toString(port));
        var process = builder.start();
        await().atMost(PATIENCE).until(() -> !process.isAlive() || accepts(port));
        return process;
    }

    private static boolean accepts(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void stop(Process process) {
        process.destroyForcibly().onExit().join();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
