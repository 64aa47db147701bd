package dev.perigee.tracing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An OpenTelemetry collector that counts, and answers what it is told to or nothing at all. */
final class CollectorDouble implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> credentials = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final CountDownLatch silent = new CountDownLatch(1);
    private volatile boolean answers = true;
    private volatile int status = 200;

    CollectorDouble() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext(
                "/",
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    paths.add(exchange.getRequestURI().getPath());
                    var given = exchange.getRequestHeaders().getFirst("authorization");
                    credentials.add(given == null ? "" : given);
                    if (!answers) {
                        awaitClosed();
                    }
                    exchange.sendResponseHeaders(status, -1);
                    exchange.close();
                });
        server.start();
    }

    private void awaitClosed() {
        try {
            silent.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** The header authorization of each request. */
    List<String> credentials() {
        return credentials;
    }

    List<String> paths() {
        return paths;
    }

    void answer(int newStatus) {
        status = newStatus;
    }

    void fallSilent() {
        answers = false;
    }

    @Override
    public void close() {
        silent.countDown();
        server.stop(0);
        threads.close();
    }
}
