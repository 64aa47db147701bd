package dev.perigee.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A reverse proxy that lets requests with an accepted bearer token through, and notes all. */
public final class TokenProxy implements AutoCloseable {

    private static final List<String> PASSED_ON =
            List.of("accept", "content-type", "mcp-session-id", "mcp-protocol-version");

    private final URI server;
    private final HttpServer proxy;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile Set<String> accepted = Set.of();

    /**
     * A request that came, whether it was let through or not.
     *
     * @param authorization the header, empty without
     * @param session the MCP session that it names, empty without
     */
    public record Request(String authorization, String session, String query, String body) {}

    private TokenProxy(URI server, HttpServer proxy) {
        this.server = server;
        this.proxy = proxy;
    }

    /** A proxy in front of a server's origin; accepts no token yet. */
    public static TokenProxy before(URI server) throws IOException {
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var proxy = new TokenProxy(server, HttpServer.create(loopback, 0));
        proxy.proxy.setExecutor(proxy.threads);
        proxy.proxy.createContext("/", proxy::handle);
        proxy.proxy.start();
        return proxy;
    }

    /** Where the proxy has what the server has at this URL. */
    public String url() {
        return "http://127.0.0.1:" + proxy.getAddress().getPort() + server.getPath();
    }

    /** These tokens are accepted from now on, no others. */
    public void accept(String... tokens) {
        accepted = Set.of(tokens);
    }

    /** All requests so far. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = exchange.getRequestBody().readAllBytes();
            var authorization = header(exchange, "authorization");
            var asked = exchange.getRequestURI();
            requests.add(
                    new Request(
                            authorization,
                            header(exchange, "mcp-session-id"),
                            asked.getQuery() == null ? "" : asked.getQuery(),
                            new String(body, StandardCharsets.UTF_8)));
            if (accepted.stream().noneMatch(token -> authorization.equals("Bearer " + token))) {
                exchange.getResponseHeaders().set("www-authenticate", "Bearer");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            passOn(exchange, server.resolve(asked.toString()), body);
        }
    }

    private void passOn(HttpExchange exchange, URI to, byte[] body) throws IOException {
        var request = HttpRequest.newBuilder(to);
        PASSED_ON.forEach(
                name -> {
                    var value = header(exchange, name);
                    if (!value.isEmpty()) {
                        request.header(name, value);
                    }
                });
        request.method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        try {
            var response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (var answer = response.body()) {
                for (var name : List.of("content-type", "mcp-session-id")) {
                    response.headers()
                            .firstValue(name)
                            .ifPresent(value -> exchange.getResponseHeaders().set(name, value));
                }
                exchange.sendResponseHeaders(response.statusCode(), 0);
                var out = exchange.getResponseBody();
                out.flush();
                var buffer = new byte[8192];
                for (int read = answer.read(buffer); read >= 0; read = answer.read(buffer)) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String header(HttpExchange exchange, String name) {
        var value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    @Override
    public void close() {
        stop();
    }

    /** Breaks all connections off and accepts no others. */
    public void stop() {
        proxy.stop(0);
        client.shutdownNow();
        threads.shutdownNow();
    }
}
