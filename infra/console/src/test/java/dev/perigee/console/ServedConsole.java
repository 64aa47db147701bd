package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static dev.perigee.console.ConsoleEvents.logs;
import static dev.perigee.console.ConsoleEvents.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.admin.GatewayAdminServer;
import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Console of a gateway over HTTP, with a fleet of one instance and actions that are recorded. For
 * one thread.
 */
final class ServedConsole implements AutoCloseable {
    static final String TOKEN = "t0ken";

    final LinkedBlockingQueue<Board> boards = new LinkedBlockingQueue<>();
    final RecordedActions log = new RecordedActions();
    final RecordedLetters letters = new RecordedLetters(log);
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private volatile Instant now = NOON;
    private @Nullable SigningProvider oidc;
    private Runnable endActions = () -> {};
    private HostPort address = new HostPort("127.0.0.1", 0);

    void start(@Nullable String token, boolean open) throws Exception {
        start(token, open, ConsoleTokens.NONE);
    }

    /** Starts it; once for a test. */
    void start(@Nullable String token, boolean open, ConsoleTokens tokens) throws Exception {
        var watch =
                new FleetWatch(
                        2,
                        Duration.ofMinutes(1),
                        () -> new Board(1 << 20, NOON),
                        board -> {
                            boards.add(board);
                            board.event(status("a", 1, ServerStatus.ONLINE), null, 3);
                            board.event(logs("a", 2, "<script>alert(1)</script>"), null, 3);
                            board.fleet(withoutWorkers(board));
                            board.caughtUp();
                            return () -> {};
                        });
        var access = new AdminAccess(token, open, false);
        var letIn =
                new ConsoleAccess(
                        access,
                        new LoginSessions(() -> now),
                        tokens,
                        ActionRole.READ,
                        oidc != null);
        var desk = new ActionDesk("g1", log, new WorkerDrains(null), letters, () -> now);
        parts.add(desk);
        endActions = desk::close;
        var handler =
                new ConsoleHandler(
                        "g1",
                        letIn,
                        watch,
                        new ActionPages(desk, watch),
                        new CallFinder(
                                () -> {
                                    throw new KafkaException("no broker");
                                },
                                new TopicNames(TopicNames.DEFAULT_PREFIX),
                                Duration.ofHours(1),
                                () -> NOON),
                        letters,
                        oidc == null ? null : oidc.pages(letIn, () -> now),
                        Duration.ofMillis(100));
        var server =
                GatewayAdminServer.start(
                        address,
                        access,
                        List::of,
                        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                        handler);
        address = server.address();
        parts.add(server);
        parts.add(watch);
    }

    /** A fleet without workers, as far as the board has read it. */
    static FleetView withoutWorkers(Board board) {
        return new FleetView(
                "g1",
                List.of(),
                true,
                List.of(),
                List.of(),
                List.of(),
                null,
                board.known().reading());
    }

    /** Lets people log in by a provider; before it is started. */
    void trust(SigningProvider provider) {
        oidc = provider;
    }

    Instant now() {
        return now;
    }

    /** Lets time pass for sessions of browsers. */
    void pass(Duration time) {
        now = now.plus(time);
    }

    /** Ends the actions, as a gateway that is stopped does. */
    void endActions() {
        endActions.run();
    }

    HostPort address() {
        return address;
    }

    @Override
    public void close() {
        try {
            for (var part : parts.reversed()) {
                part.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("The console did not close", e);
        }
        http.close();
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path));
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    HttpResponse<String> login(String token) throws Exception {
        return send(
                request("/console/api/login")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"token\":\"" + token + "\"}")));
    }

    static JsonNode json(HttpResponse<String> response) {
        return Json.tree(response.body().getBytes(UTF_8));
    }

    /** The one that is being written. */
    Board board() throws InterruptedException {
        var board = boards.poll(10, TimeUnit.SECONDS);
        assertThat(board).isNotNull();
        boards.add(board);
        return board;
    }
}
