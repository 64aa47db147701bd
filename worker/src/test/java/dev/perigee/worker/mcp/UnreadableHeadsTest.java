package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.mcp.McpException.Kind;
import dev.perigee.worker.process.Tenant;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers whose responses are no HTTP, and that close no connection by themselves. */
final class UnreadableHeadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int REQUESTS = 20;

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger accepted = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(strings = {"GARBAGE\r\n\r\n", "endless"})
    @DisplayName("a response whose head cannot be read costs no connection")
    void closesConnections(String head) throws Exception {
        var connections =
                HttpConnections.open(
                        new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY),
                        new LineRoom(ByteBudget.of(1 << 20)));
        try (var listener = new ServerSocket(0, REQUESTS, InetAddress.getLoopbackAddress());
                var client = client(listener.getLocalPort(), connections)) {
            Thread.ofVirtual().start(() -> accept(listener, head));

            for (int i = 0; i < REQUESTS; i++) {
                var failure =
                        catchThrowableOfType(McpException.class, () -> client.initialize(PATIENCE));
                assertThat(failure).isNotNull();
                assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            }

            assertThat(accepted).hasValue(REQUESTS);
            await().atMost(PATIENCE).until(() -> open.get() == 0);
        } finally {
            connections.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GARBAGE\r\n\r\n", "endless"})
    @DisplayName("CAL-17: nor does one to an authorization server")
    void closesPolicedConnections(String head) throws Exception {
        var connections =
                HttpConnections.open(
                        new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY),
                        new LineRoom(ByteBudget.of(1 << 20)));
        try (var listener = new ServerSocket(0, REQUESTS, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> accept(listener, head));
            var requests = new PolicedRequests(connections, new Tenant("t1", "u1"), null);
            var address = URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/token");

            for (int i = 0; i < REQUESTS; i++) {
                var request = HttpRequest.newBuilder(address).build();
                assertThat(catchThrowableOfType(McpException.class, () -> requests.send(request)))
                        .isNotNull();
            }

            assertThat(accepted).hasValue(REQUESTS);
            await().atMost(PATIENCE).until(() -> open.get() == 0);
        } finally {
            connections.close();
        }
    }

    private void accept(ServerSocket listener, String head) {
        try {
            while (true) {
                var socket = listener.accept();
                accepted.incrementAndGet();
                open.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket, head));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    /** Answers the first bytes, and reads until the client closes. */
    private void serve(Socket socket, String head) {
        var buffer = new byte[4096];
        try (socket) {
            var in = socket.getInputStream();
            if (in.read(buffer) > 0) {
                var out = socket.getOutputStream();
                if (head.equals("endless")) {
                    out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                    for (int i = 0; i < 20_000; i++) {
                        out.write(("X-" + i + ": y\r\n").getBytes(StandardCharsets.US_ASCII));
                    }
                } else {
                    out.write(head.getBytes(StandardCharsets.US_ASCII));
                }
                in.transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException e) {
            // Closed as well.
        } finally {
            open.decrementAndGet();
        }
    }

    private static HttpMcpClient client(int port, HttpConnections connections) {
        return HttpFixture.client(
                "http://127.0.0.1:" + port + "/mcp", HttpTransport.STREAMABLE, connections);
    }
}
