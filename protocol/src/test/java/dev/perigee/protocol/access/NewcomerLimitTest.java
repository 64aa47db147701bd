package dev.perigee.protocol.access;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server of HTTP with few connections, over real sockets. */
final class NewcomerLimitTest {
    private static final int MOST = 8;

    /** Longer than a busy machine stands still before it asks. */
    private static final Duration IDLE = Duration.ofSeconds(3);

    private final Server server = new Server();
    private final CountDownLatch slow = new CountDownLatch(1);
    private final HttpConnectionFactory http = new HttpConnectionFactory();
    private final ServerConnector connector = new ServerConnector(server, 1, 1, http);

    private NewcomerLimit start(Duration idle) throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        var limit = new NewcomerLimit(connector, http, MOST, idle, new Answers());
        server.setHandler(limit);
        server.start();
        return limit;
    }

    @AfterEach
    void stop() throws Exception {
        slow.countDown();
        server.stop();
    }

    private final class Answers extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            if (Request.getPathInContext(request).equals("/slow")) {
                response.write(false, ByteBuffer.wrap("begun".getBytes(US_ASCII)), Callback.NOOP);
                slow.await();
            }
            response.write(true, ByteBuffer.wrap("done".getBytes(US_ASCII)), callback);
            return true;
        }
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), connector.getLocalPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    private static String request(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    private static void awaitText(Socket socket, String text) throws IOException {
        var read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("after %s", read).isNotNegative();
            read.append((char) next);
        }
    }

    @Test
    @DisplayName("TEN-15: of more connections than there may be one is closed for each more")
    void closesWhatIsTooMany() throws Exception {
        var limit = start(Duration.ofMinutes(1)); // So that nothing else closes who was displaced.
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 50; i++) {
                sockets.add(connect());
            }
            await().until(() -> limit.displaced() == 50 - MOST);
            assertThat(limit.count()).isLessThanOrEqualTo(MOST);
            await().until(() -> connector.getConnectedEndPoints().size() <= MOST);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
        await().until(() -> limit.count() == 0);
        try (var next = connect()) {
            send(next, request("/"));
            awaitText(next, "done");
        }
    }

    @Test
    @DisplayName("TEN-15: who sends a head byte by byte is cut off, at the first request and later")
    void endsWhoIsSlowToAsk() throws Exception {
        var _ = start(IDLE);
        try (var first = connect();
                var later = connect()) {
            send(later, request("/"));
            awaitText(later, "done");
            for (var socket : new Socket[] {first, later}) {
                socket.setSoTimeout(100);
                long begun = System.nanoTime();
                assertThat(trickle(socket)).isTrue();
                assertThat(System.nanoTime() - begun).isLessThan(IDLE.multipliedBy(6).toNanos());
            }
        }
    }

    /** A byte each 100 ms, never silent for as long as is allowed; true when it was cut off. */
    private static boolean trickle(Socket socket) throws IOException {
        var head = "GET / HTTP/1.1\r\nX-Long: " + "x".repeat(600);
        for (byte next : head.getBytes(US_ASCII)) {
            try {
                socket.getOutputStream().write(next);
                if (socket.getInputStream().read() < 0) {
                    return true;
                }
            } catch (SocketTimeoutException e) {
                // The pause between two bytes.
            } catch (IOException e) {
                return true;
            }
        }
        return false;
    }

    @Test
    void endsWhoIsSilent() throws Exception {
        var limit = start(Duration.ofSeconds(1));
        try (var silent = connect()) {
            assertThat(silent.getInputStream().read()).isNegative();
        }
        await().until(() -> limit.count() == 0);
    }

    @Test
    @DisplayName("an answer may take its time")
    void doesNotEndWhoIsBeingAnswered() throws Exception {
        var _ = start(IDLE);
        try (var socket = connect();
                var silent = connect()) {
            send(socket, request("/slow"));
            awaitText(socket, "begun");
            // Another that came later was ended meanwhile, and so would this one have been.
            trickle(silent);
            slow.countDown();
            awaitText(socket, "done");
        }
    }
}
