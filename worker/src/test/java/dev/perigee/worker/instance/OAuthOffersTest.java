package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.Authorization;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The server refuses everything, and describes itself where only its challenge says. */
@DisplayName("A server over HTTP whose user has to authorize")
final class OAuthOffersTest {
    private final AtomicReference<Duration> later = new AtomicReference<>(Duration.ZERO);
    private final InstanceBench bench =
            new InstanceBench(
                    Map.of(
                            "oauth.client-metadata-url",
                            "https://client.example/perigee.json",
                            "oauth.redirect-uri",
                            "https://backend.example/back"),
                    () -> Instant.now().plus(later.get()));
    private HttpServer server;
    private volatile String authorizes = "http://127.0.0.1:";

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void end() {
        bench.close();
        server.stop(0);
    }

    private String issuer() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        var issuer = issuer();
        var path = exchange.getRequestURI().getPath();
        exchange.getRequestBody().readAllBytes();
        var body =
                switch (path) {
                    case "/elsewhere" ->
                            """
                            {"resource":"%s/mcp","authorization_servers":["%s"],
                             "scopes_supported":["all"]}"""
                                    .formatted(issuer, issuer);
                    case "/.well-known/oauth-authorization-server" ->
                            """
                            {"issuer":"%s","token_endpoint":"%s/token",
                             "authorization_endpoint":"%s%d/authorize",
                             "code_challenge_methods_supported":["S256"],
                             "client_id_metadata_document_supported":true}"""
                                    .formatted(
                                            issuer,
                                            issuer,
                                            authorizes,
                                            server.getAddress().getPort());
                    default -> "";
                };
        if (path.equals("/mcp")) {
            exchange.getResponseHeaders()
                    .set(
                            "WWW-Authenticate",
                            "Bearer resource_metadata=\"" + issuer + "/elsewhere\", scope=\"one\"");
        }
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        int status = path.equals("/mcp") ? 401 : body.isEmpty() ? 404 : 200;
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private ServerConfig config() {
        return config(null, null);
    }

    private ServerConfig config(@Nullable String code, @Nullable String state) {
        var oauth =
                new OAuthConfig(
                        null, null, null, null, null, null, null, null, null, code, state, null);
        return ServerConfigBuilder.elsewhere(
                        "a",
                        "slug-a",
                        new Owner("t1", "acme", InstanceBench.USER, "alice"),
                        TransportType.HTTP,
                        issuer() + "/mcp")
                .oauth(oauth)
                .build();
    }

    private List<Authorization> events(ServerConfig config, String change) {
        return bench.journal(config).all(Authorization.class).stream()
                .filter(event -> event.change().equals(change))
                .toList();
    }

    private Authorization event(ServerConfig config, String change, int count) {
        await().atMost(InstanceBench.PATIENCE).until(() -> events(config, change).size() >= count);
        return events(config, change).get(count - 1);
    }

    /** Something that leaves the status as it is. */
    private void touch(ServerConfig config, boolean disabled) {
        var order = bench.order(config.processId());
        bench.settle(bench.instances.switchTool(InstanceBench.switchTool(order, "echo", disabled)));
    }

    @Test
    @DisplayName("CAL-17: asks as its challenge says, and again when nobody answers for an hour")
    void asks() {
        var config = config();
        bench.configure(config);

        var first = event(config, "required", 1);
        assertThat(first.scopes()).containsExactly("one");
        assertThat(first.issuer()).isEqualTo(issuer());
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.journal(config).statuses().contains(REQUIRES_REAUTH));

        later.set(Duration.ofMinutes(50));
        touch(config, true);
        touch(config, false); // What the first one led to is done by now.
        assertThat(events(config, "required")).hasSize(1);

        later.set(Duration.ofMinutes(61));
        touch(config, true);
        var again = event(config, "required", 2);
        assertThat(again.url()).isEqualTo(first.url());

        later.set(Duration.ofDays(2));
        bench.settle(bench.instances.recover(bench.order(config.processId())));
        await("another one, since the first does not hold any more")
                .atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                events(config, "required").stream()
                                        .anyMatch(it -> !Objects.equals(it.url(), first.url())));
    }

    @Test
    @DisplayName("CAL-17: says that a code was exchanged before, where it is another's answer")
    void takesNoCodeTwice() {
        var config = config();
        bench.configure(config);
        var first = state(event(config, "required", 1));
        var answer = config("code-1", first);
        bench.apply(answer, Cause.UPDATED);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> !state(last(config, "required")).equals(first));

        bench.apply(answer, Cause.UPDATED);
        bench.apply(config("code-1", state(last(config, "required"))), Cause.UPDATED);

        await().atMost(InstanceBench.PATIENCE)
                .until(() -> reason(config).contains("exchanged before"));
        assertThat(events(config, "failed")).hasSize(2);
        assertThat(reason(config)).doesNotContain("code-1");
        assertThat(events(config, "exchanging")).hasSize(1);
    }

    private Authorization last(ServerConfig config, String change) {
        return events(config, change).getLast();
    }

    private String reason(ServerConfig config) {
        return String.valueOf(last(config, "failed").reason());
    }

    /** The state that its user's answer is to have. */
    private static String state(Authorization required) {
        return String.valueOf(required.url()).replaceAll(".*[?&]state=([^&]*).*", "$1");
    }

    @Test
    @DisplayName("CAL-17: is not sent where another authorization server could take its code")
    void mixesNothingUp() {
        authorizes = "http://localhost:";
        var config = config();
        bench.configure(config);

        assertThat(event(config, "failed", 1).reason()).contains("config.oauth.issuer");
        assertThat(events(config, "required")).isEmpty();
    }
}
