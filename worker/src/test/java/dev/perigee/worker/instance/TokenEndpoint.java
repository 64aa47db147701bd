package dev.perigee.worker.instance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Token endpoint that gives {@code access-2}, {@code access-3} and so on, or what is ordered. */
final class TokenEndpoint implements AutoCloseable {
    final List<Map<String, String>> asked = new CopyOnWriteArrayList<>();
    volatile int status = 200;
    volatile long expiresIn = 3600;

    /** Answered instead, null for what fits the status. */
    volatile @Nullable String body;

    /** When given, answers wait for it. */
    volatile @Nullable CountDownLatch held;

    /** What happens before anything is answered. */
    volatile Runnable whenAsked = () -> {};

    private final AtomicInteger given = new AtomicInteger(1);
    private final HttpServer server;

    TokenEndpoint() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/token", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/token";
    }

    private void answer(HttpExchange exchange) throws IOException {
        var form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        asked.add(
                Arrays.stream(form.split("&"))
                        .map(pair -> pair.split("=", 2))
                        .collect(
                                Collectors.toMap(
                                        pair -> pair[0],
                                        pair ->
                                                URLDecoder.decode(
                                                        pair[1], StandardCharsets.UTF_8))));
        whenAsked.run();
        var latch = held;
        if (latch != null) {
            await(latch);
        }
        var ordered = body;
        int code = status;
        int n = code == 200 && ordered == null ? given.incrementAndGet() : 0;
        var answer =
                ordered != null
                        ? ordered
                        : code == 200
                                ? ("{\"access_token\":\"access-%d\",\"refresh_token\":\"refresh-%d\","
                                                + "\"token_type\":\"Bearer\",\"expires_in\":%d}")
                                        .formatted(n, n, expiresIn)
                                : "{\"error\":\"invalid_grant\",\"error_description\":\"refresh-1\"}";
        var bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
