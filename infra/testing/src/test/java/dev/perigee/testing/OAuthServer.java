package dev.perigee.testing;

import dev.perigee.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Fixture O in a process of its own: an MCP server with tokens, and oidc-provider; see its head.
 */
public final class OAuthServer implements AutoCloseable {
    private final Process process;
    private final JsonNode ready;
    private final HttpClient client = HttpClient.newHttpClient();

    private OAuthServer(Process process, JsonNode ready) {
        this.process = process;
        this.ready = ready;
    }

    /** Starts it, and waits until it listens. */
    public static OAuthServer started() throws IOException {
        var process =
                new ProcessBuilder(
                                Fixtures.NODE,
                                Fixtures.oauthScript().toString(),
                                NpmServers.installed().modules().toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        var line = Objects.requireNonNull(out.readLine(), "fixture O ended");
        return new OAuthServer(process, Json.tree(line.getBytes(StandardCharsets.UTF_8)));
    }

    /** Where MCP is served. */
    public String url() {
        return ready.path("mcp").asString();
    }

    /** The authorization server. */
    public String issuer() {
        return ready.path("issuer").asString();
    }

    /** Changes something; what was seen, and what was asked for. */
    public JsonNode order(String what) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create(ready.path("control").asString()))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(what))
                        .build();
        var answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        var seen = Json.tree(answer.body());
        if (answer.statusCode() != 200) {
            throw new IOException(seen.toString());
        }
        return seen;
    }

    /** What was seen. */
    public JsonNode seen() throws IOException, InterruptedException {
        return order("{}");
    }

    /** A user authorizes at this address: what the redirect brings. */
    public Map<String, String> authorize(String url) throws IOException, InterruptedException {
        var order = Json.write(Map.of("authorize", url));
        var location = order(new String(order, StandardCharsets.UTF_8)).path("location").asString();
        var query = Objects.requireNonNull(URI.create(location).getRawQuery());
        return Arrays.stream(query.split("&"))
                .map(pair -> pair.split("=", 2))
                .collect(
                        Collectors.toMap(
                                pair -> pair[0],
                                pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        client.shutdownNow();
        process.destroyForcibly().onExit().join();
    }
}
