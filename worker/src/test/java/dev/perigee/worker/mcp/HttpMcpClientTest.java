package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.mcp.McpException.Kind;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("MCP over HTTP, against fixture H")
final class HttpMcpClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MAX_BYTES = 1024 * 1024;

    private final List<String> garbage = new CopyOnWriteArrayList<>();
    private final AtomicInteger toolChanges = new AtomicInteger();
    private final AtomicReference<@Nullable HttpTarget> target = new AtomicReference<>();
    private final ServerMetrics metrics = new ServerMetrics(InstantSource.system());
    private final LineRoom room = new LineRoom(ByteBudget.of(64 << 20));
    private final HttpConnections connections = connections(PATIENCE);
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (var one : open.reversed()) {
            one.close();
        }
        connections.close();
    }

    private HttpFixture server(String... flags) throws Exception {
        var server = HttpFixture.start(flags);
        open.add(server);
        return server;
    }

    private HttpConnections connections(Duration connectTimeout) {
        return HttpConnections.open(
                new HttpOptions(connectTimeout, Duration.ofSeconds(2), LocalEgress.POLICY), room);
    }

    private HttpMcpClient client(String url, HttpTransport transport) {
        return client(url, transport, connections);
    }

    private HttpMcpClient client(String url, HttpTransport transport, HttpConnections connections) {
        target.set(new HttpTarget(url, Map.of(), Map.of()));
        var listener =
                new McpListener() {
                    @Override
                    public void onToolsChanged() {
                        toolChanges.incrementAndGet();
                    }

                    @Override
                    public void onGarbage(Supplier<String> what) {
                        garbage.add(what.get());
                    }
                };
        var options = new McpOptions("2025-11-25", "perigee", "0.1.0", MAX_BYTES, null, true);
        var client =
                new HttpMcpClient(
                        "p1",
                        transport,
                        () -> Objects.requireNonNull(target.get()),
                        connections,
                        options,
                        metrics,
                        listener);
        open.add(client);
        return client;
    }

    private static HttpTransport transport(String flags) {
        return flags.contains("--sse") ? HttpTransport.SSE : HttpTransport.STREAMABLE;
    }

    private static String call(McpClient client, String tool, String arguments) throws Exception {
        return call(client, tool, arguments, PATIENCE);
    }

    private static String call(McpClient client, String tool, String arguments, Duration timeout)
            throws Exception {
        var params = "{\"name\":\"%s\",\"arguments\":%s}".formatted(tool, arguments);
        return client.request("tools/call", RawJson.of(params), timeout).text();
    }

    private static McpException failure(McpClient client, String tool, Duration timeout) {
        return Objects.requireNonNull(
                catchThrowableOfType(
                        McpException.class, () -> call(client, tool, "{\"message\":1}", timeout)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--json", "--stateless", "--sse"})
    @DisplayName("A first request makes the session; the result is the server's own JSON")
    void answers(String flags) throws Exception {
        var server = server(flags);
        var client = client(server.url(), transport(flags));

        assertThat(call(client, "echo", "{\"message\":\"ä \\u00e4 1.0\"}"))
                .isEqualTo("{\"content\":[{\"type\":\"text\",\"text\":\"ä ä 1.0\"}]}");
        assertThat(call(client, "echo", "{\"message\":2}")).contains("\"2\"");

        assertThat(server.count("initialize")).isEqualTo(1);
        assertThat(server.count("notifications/initialized")).isEqualTo(1);
        assertThat(client.initialize(PATIENCE).name()).isEqualTo("h");
        assertThat(server.count("initialize")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--json", "--sse"})
    @DisplayName("64 calls at once share one session and get each their own answer")
    void answersManyAtOnce(String flags) throws Exception {
        var server = server(flags);
        var client = client(server.url(), transport(flags));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 5; round++) {
                var calls =
                        IntStream.range(0, 64)
                                .mapToObj(
                                        i ->
                                                (Callable<String>)
                                                        () ->
                                                                call(
                                                                        client,
                                                                        "echo",
                                                                        "{\"message\":\"<%d>\"}"
                                                                                .formatted(i)))
                                .toList();
                var answers = new ArrayList<Future<String>>();
                for (var one : calls) {
                    answers.add(threads.submit(one));
                }
                for (int i = 0; i < 64; i++) {
                    assertThat(answers.get(i).get()).contains("<" + i + ">");
                }
            }
        }
        assertThat(server.count("initialize")).isEqualTo(1);
        assertThat(metrics.errorCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--sse"})
    @DisplayName("Headers, parameters and address are read for each request")
    void readsTheConfigurationAfresh(String flags) throws Exception {
        var server = server(flags);
        var other = server(flags);
        var client = client(server.url(), transport(flags));
        call(client, "echo", "{\"message\":1}");
        server.order("{'reset':true,'token':'t2'}");

        target.set(
                new HttpTarget(
                        server.url(),
                        Map.of("Authorization", "Bearer t2", "Accept", "text/html"),
                        Map.of("api key", "k&1")));
        call(client, "echo", "{\"message\":1}");

        assertThat(server.count("initialize")).isZero();
        var seen = server.seen();
        assertThat(seen.at("/headers/0/authorization").asString()).isEqualTo("Bearer t2");
        assertThat(seen.at("/headers/0/accept").asString("")).doesNotContain("html");
        assertThat(seen.at("/queries/0").path("api key").asString()).isEqualTo("k&1");

        target.set(new HttpTarget(other.url(), Map.of("Authorization", "Bearer t3"), Map.of()));
        call(client, "echo", "{\"message\":1}");

        assertThat(other.count("initialize")).isEqualTo(1);
        assertThat(other.seen().at("/headers/0/authorization").asString()).isEqualTo("Bearer t3");
        await().atMost(PATIENCE).until(() -> server.seen().path("sessions").asInt() == 0);
        assertThat(server.seen().path("headers").toString()).doesNotContain("t3");
    }

    @Test
    @DisplayName("SSE: messages go to no other server, wherever the server wants them sent to")
    void staysWithItsServer() throws Exception {
        var server = server("--sse");
        var other = server("--sse");
        var elsewhere = URI.create(other.url()).getAuthority();
        for (var endpoint : List.of("//" + elsewhere + "/messages", other.url())) {
            server.order("{'endpoint':'%s'}".formatted(endpoint));
            var client = client(server.url(), HttpTransport.SSE);
            var header = Map.of("Authorization", "Bearer s3cret");
            target.set(new HttpTarget(server.url(), header, Map.of()));

            assertThatThrownBy(() -> client.initialize(PATIENCE)).isInstanceOf(McpException.class);
            assertThat(other.seen().path("connections").asInt()).isZero();
        }
        var own = URI.create(server.url()).resolve("/messages");
        server.order("{'endpoint':'%s'}".formatted(own));
        assertThat(call(client(server.url(), HttpTransport.SSE), "echo", "{\"message\":1}"))
                .contains("1");
    }

    @ParameterizedTest
    @CsvSource({"'',404", "'',400", "--sse,404"})
    @DisplayName("A session that the server forgot is made anew, and the request sent again")
    void renewsTheSession(String flags, int status) throws Exception {
        var server = server(flags);
        var client = client(server.url(), transport(flags));
        call(client, "echo", "{\"message\":1}");
        server.order("{'forget':true,'unknown':" + status + "}");

        assertThat(call(client, "counter", "{}")).contains("\"1\"");

        assertThat(server.count("initialize")).isEqualTo(2);
        assertThat(server.seen().path("counter").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--sse"})
    @DisplayName("REC-02 A server that is away and back is reached without further ado")
    void comesBack(String flags) throws Exception {
        var server = server(flags);
        var client = client(server.url(), transport(flags));
        call(client, "echo", "{\"message\":1}");
        server.order("{'mode':'refuse'}");

        var failure = failure(client, "echo", PATIENCE);
        assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(failure.sent()).isFalse();

        server.order("{'mode':'ok'}");
        assertThat(call(client, "echo", "{\"message\":1}")).contains("\"1\"");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{'mode':'status','status':401}`,UNAUTHORIZED,Authentication failed (HTTP 401)",
                "`{'mode':'status','status':403}`,FORBIDDEN,Access forbidden (HTTP 403)",
                "`{'mode':'status','status':500}`,HTTP_FAILED,HTTP 500: ordered 500",
                "`{'mode':'status','status':429}`,RATE_LIMITED,HTTP 429: ordered 429",
                "`{'mode':'status','status':400,'text':'invalid_token'}`,REQUEST_REFUSED,HTTP 400: invalid_token",
                "`{'mode':'rpc_error'}`,SERVER_ERROR,authorization required",
                "`{'mode':'rpc_error','text':'no port 4010'}`,SERVER_ERROR,no port 4010",
                "`{'mode':'html'}`,INVALID_ANSWER,HTTP 200 with text/html",
                "`{'mode':'garbage'}`,INVALID_ANSWER,no answer that can be read",
                "`{'mode':'empty'}`,INVALID_ANSWER,no answer that can be read",
                "`{'mode':'half'}`,UNREACHABLE,in the middle of its answer",
                "`{'mode':'endless'}`,TOO_LARGE,1048576 bytes",
                "`{'mode':'reset_after_body'}`,UNREACHABLE,before it answered",
                "`{'mode':'redirect','location':'https://evil.example/x?k=1'}`,HTTP_REFUSED,to https://evil.example (HTTP 307)",
            })
    @DisplayName("REC-25, REC-26, REC-29, REC-30, CAL-15 A failure is told by its kind")
    void tellsFailures(String order, Kind kind, String message) throws Exception {
        var server = server();
        var client = client(server.url(), HttpTransport.STREAMABLE);
        call(client, "echo", "{\"message\":1}");
        server.order(order);

        var failure = failure(client, "echo", PATIENCE);

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure).hasMessageContaining(message);
        assertThat(failure.sent()).isTrue();
        server.order("{'mode':'ok'}");
        assertThat(server.count("tools/call")).isEqualTo(2);
        assertThat(call(client, "echo", "{\"message\":1}")).contains("\"1\"");
        await().atMost(PATIENCE).until(() -> server.seen().path("open").asInt() <= 2);
    }

    @ParameterizedTest
    @CsvSource({
        "silent,",
        "events,",
        "silent,--sse",
    })
    @DisplayName("A server without end is left when the request's time is over, and told so")
    void timesOut(String mode, @Nullable String flags) throws Exception {
        var server = flags == null ? server() : server(flags);
        var client = client(server.url(), transport(flags == null ? "" : flags));
        call(client, "echo", "{\"message\":1}");
        server.order("{'mode':'%s','only':'tools/call'}".formatted(mode));

        var failure = failure(client, "echo", Duration.ofSeconds(3));

        assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
        await().atMost(PATIENCE).until(() -> server.count("notifications/cancelled") == 1);
        await().atMost(PATIENCE).until(() -> server.seen().path("open").asInt() <= 2);
    }

    @Test
    @DisplayName("A stream that stays open after its answer costs no connection for long")
    void endsLingeringStreams() throws Exception {
        var server = server();
        var client = client(server.url(), HttpTransport.STREAMABLE);
        server.order("{'open':true}");
        for (int i = 0; i < 100; i++) {
            call(client, "echo", "{\"message\":1}");
        }

        await().atMost(PATIENCE).until(() -> server.seen().path("open").asInt() <= 68);
        client.close();
        await().atMost(PATIENCE).until(() -> server.seen().path("open").asInt() <= 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--sse"})
    @DisplayName("What the server asks and tells by itself is answered and passed on")
    void answersTheServer(String flags) throws Exception {
        var server = server(flags);
        var client = client(server.url(), transport(flags));
        call(client, "echo", "{\"message\":1}");
        await().atMost(PATIENCE).until(() -> server.seen().path("streams").asInt() == 1);

        server.order("{'send':{'jsonrpc':'2.0','id':0,'method':'roots/list'}}");
        server.order("{'send':{'jsonrpc':'2.0','id':'a','method':'sampling/createMessage'}}");
        server.order("{'send':{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}}");

        await().atMost(PATIENCE).until(() -> server.seen().path("replies").size() == 2);
        assertThat(server.seen().path("replies").toString())
                .contains("\"id\":0,\"result\":{\"roots\":[]}", "-32601");
        await().atMost(PATIENCE).until(() -> toolChanges.get() == 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--sse"})
    @DisplayName("Closing ends the session and the connections, and what is in flight")
    void closes(String flags) throws Exception {
        var server = server(flags);
        var client = client(server.url(), transport(flags));
        call(client, "echo", "{\"message\":1}");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            server.order("{'delay':{'tools/call':60000}}");
            var call = threads.submit(() -> failure(client, "echo", PATIENCE));
            await().atMost(PATIENCE).until(() -> server.count("tools/call") == 2);

            client.close();

            assertThat(call.get().kind()).isEqualTo(Kind.CLOSED);
        }
        await().atMost(PATIENCE).until(() -> server.seen().path("sessions").asInt() == 0);
        assertThat(failure(client, "echo", PATIENCE).kind()).isEqualTo(Kind.CLOSED);
    }

    @Test
    @DisplayName("SSE: the end of the stream fails what waits for it, as maybe run")
    void losesItsStream() throws Exception {
        var server = server("--sse");
        var client = client(server.url(), HttpTransport.SSE);
        call(client, "echo", "{\"message\":1}");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            server.order("{'mode':'silent','only':'tools/call'}");
            var call = threads.submit(() -> failure(client, "sleep", PATIENCE));
            await().atMost(PATIENCE).until(() -> server.count("tools/call") == 2);

            server.order("{'mode':'ok','forget':true}");

            assertThat(call.get().kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(call.get().sent()).isTrue();
        }
        assertThat(call(client, "echo", "{\"message\":1}")).contains("\"1\"");
    }

    @Test
    @DisplayName("Failed handshakes mean that nothing was sent; waiting callers share one attempt")
    void sharesFailures() throws Exception {
        var server = server();
        var client = client(server.url(), HttpTransport.STREAMABLE);
        server.order("{'mode':'status','status':401,'delay':{'initialize':300}}");
        var failures = Collections.synchronizedList(new ArrayList<McpException>());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 10; i++) {
                threads.execute(() -> failures.add(failure(client, "echo", PATIENCE)));
            }
        }

        assertThat(failures)
                .hasSize(10)
                .allMatch(why -> why.kind() == Kind.UNAUTHORIZED && !why.sent());
        assertThat(server.count("initialize")).isLessThan(10);
        assertThat(server.count("tools/call")).isZero();
    }

    @Test
    @DisplayName("REC-21, REC-22, REC-23 Without a connection nothing was sent")
    void knowsWhatWasNotSent() throws IOException {
        try (var hole = BlackHole.open();
                var impatient = connections(Duration.ofSeconds(1))) {
            for (var url :
                    List.of(
                            "http://127.0.0.1:4010/mcp",
                            "http://no.such.host.invalid/",
                            hole.url())) {
                var failure =
                        failure(client(url, HttpTransport.STREAMABLE, impatient), "echo", PATIENCE);
                assertThat(failure.kind()).as(url).isEqualTo(Kind.UNREACHABLE);
                assertThat(failure.sent()).as(url).isFalse();
                assertThat(failure).hasMessageStartingWith("Server unreachable (");
            }
        }
    }

    @Test
    @DisplayName("Clients at rest have no threads")
    void hasNoThreads() throws Exception {
        var server = server();
        call(client(server.url(), HttpTransport.STREAMABLE), "echo", "{\"message\":1}");
        int before = Thread.getAllStackTraces().size();
        for (int i = 0; i < 50; i++) {
            call(client(server.url(), HttpTransport.STREAMABLE), "echo", "{\"message\":1}");
        }

        assertThat(Thread.getAllStackTraces()).hasSizeLessThan(before + 10);
        assertThat(server.seen().path("sessions").asInt()).isEqualTo(51);
    }

    @Test
    @DisplayName("Nothing shows a credential")
    void keepsSecrets() throws Exception {
        var secret =
                new HttpTarget(
                        "http://h/mcp?k=s3cret", Map.of("X", "s3cret"), Map.of("k", "s3cret"));
        assertThat(secret.toString()).doesNotContain("s3cret").contains("X", "k", "h");

        var client = client("http://127.0.0.1:1/", HttpTransport.STREAMABLE);
        target.set(new HttpTarget("http://127.0.0.1:1/", Map.of("X", "s3\ncret"), Map.of()));
        assertThat(failure(client, "echo", PATIENCE))
                .hasMessageContaining("The header X cannot be sent")
                .hasMessageNotContaining("cret");
        target.set(new HttpTarget("s3cret", Map.of(), Map.of()));
        assertThat(failure(client, "echo", PATIENCE))
                .hasMessageContaining("no http or https address")
                .hasMessageNotContaining("s3cret");
    }
}
