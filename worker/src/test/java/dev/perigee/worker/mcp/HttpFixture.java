package dev.perigee.worker.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Fixture H in a process of its own; its head explains flags and switches. */
public final class HttpFixture implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;
    private final URI control;

    private HttpFixture(Process process, JsonNode ready) {
        this.process = process;
        this.url = ready.path("mcp").asString();
        this.control = URI.create(ready.path("control").asString());
    }

    /** Starts H; the script is given as text, since it may be in a jar. */
    public static HttpFixture start(String... flags) throws IOException {
        var command =
                new ArrayList<>(List.of("node", "--input-type=module", "--eval", script(), "h"));
        command.addAll(List.of(flags));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return new HttpFixture(process, JSON.readTree(Objects.requireNonNull(out.readLine())));
    }

    private static String script() throws IOException {
        try (var script = Objects.requireNonNull(HttpFixture.class.getResourceAsStream("/h.mjs"))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Where MCP is served. */
    public String url() {
        return url;
    }

    /** A client of it that hears nothing. */
    HttpMcpClient client(HttpConnections connections) {
        return client(url, HttpTransport.STREAMABLE, connections);
    }

    /** A client of a server at that address that hears nothing. */
    static HttpMcpClient client(String url, HttpTransport transport, HttpConnections connections) {
        var target = new HttpTarget(url, Map.of(), Map.of());
        return new HttpMcpClient(
                "p1",
                transport,
                () -> target,
                connections,
                McpOptions.defaults(),
                new ServerMetrics(InstantSource.system()),
                new McpListener() {
                    @Override
                    public void onToolsChanged() {}

                    @Override
                    public void onGarbage(Supplier<String> what) {}
                });
    }

    /** Changes switches; what was seen until now. */
    public JsonNode order(String switches) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(control)
                        .POST(HttpRequest.BodyPublishers.ofString(switches.replace('\'', '"')))
                        .build());
    }

    /** What was seen. */
    public JsonNode seen() throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(control).build());
    }

    /** How many requests of this method came. */
    public int count(String method) throws IOException, InterruptedException {
        return seen().path("requests").path(method).asInt(0);
    }

    private JsonNode send(HttpRequest request) throws IOException, InterruptedException {
        return JSON.readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    @Override
    public void close() {
        client.shutdownNow();
        process.destroyForcibly().onExit().join();
    }
}
