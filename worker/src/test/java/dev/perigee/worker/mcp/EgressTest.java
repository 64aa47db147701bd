package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.config.EgressRule;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.mcp.McpException.Kind;
import dev.perigee.worker.process.Tenant;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** 127.0.0.1 stands for the internet, where that is allowed, 127.0.0.2 for an internal address. */
@DisplayName("HTTP servers that the egress policy does not allow")
final class EgressTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String SECRET = "the internal page";
    private static final String ALLOWED = "127.0.0.1";
    private static final String INTERNAL = "127.0.0.2";
    private static final EgressPolicy ONE = EgressPolicy.of(List.of(ALLOWED), List.of());

    /** At which of its addresses the server was asked. */
    private final List<String> asked = new CopyOnWriteArrayList<>();

    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final ArrayDeque<List<String>> answers = new ArrayDeque<>();
    private final List<String> lookedUp = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress("0.0.0.0", 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    asked.add(exchange.getLocalAddress().getAddress().getHostAddress());
                    boolean redirects = exchange.getRequestURI().getPath().equals("/redirect");
                    if (redirects) {
                        exchange.getResponseHeaders().add("Location", "/page");
                    }
                    var body = SECRET.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(redirects ? 307 : 500, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void end() throws Exception {
        for (var one : opened.reversed()) {
            one.close();
        }
        server.stop(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.1",
                "localhost",
                "LocalHost",
                "localhost.",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[0:0:0:0:0:ffff:7f00:1]",
                "[64:ff9b::7f00:1]",
                "0.0.0.0",
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "0177.0.0.1",
                "017700000001",
                "127.0.0.1.",
            })
    @DisplayName("TEN-07: are not asked, however their address is written")
    void refusesLiterals(String host) throws Exception {
        var connections = connections(EgressGuards.of(EgressPolicy.INTERNET));

        var failure = failure(client(connections, HttpTransport.STREAMABLE, host, "/", null));

        boolean isUsual = URI.create("http://" + host + "/").getHost() != null;
        assertThat(failure.kind()).isEqualTo(isUsual ? Kind.EGRESS_REFUSED : Kind.HTTP_REFUSED);
        assertThat(
                        String.valueOf(failure.getMessage())
                                .contains("write " + host + " in the usual form"))
                .isEqualTo(!isUsual);
        assertThat(failure.sent()).isFalse();
        assertThat(failure).message().doesNotContain(SECRET);
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(HttpTransport.class)
    @DisplayName(
            "TEN-07: are refused with a reason, counted and reported; nothing of them comes back")
    void refuses(HttpTransport transport) throws Exception {
        var connections = connections(EgressGuards.of(EgressPolicy.INTERNET));

        var failure = failure(client(connections, transport, ALLOWED, "/sse", null));

        assertThat(failure.kind()).isEqualTo(Kind.EGRESS_REFUSED);
        assertThat(failure)
                .message()
                .isEqualTo(
                        "Egress refused to 127.0.0.1:%d: the fleet's egress policy does not allow"
                                + " it (egress.allow of the workers)",
                        server.getAddress().getPort());
        assertThat(connections.refused()).isEqualTo(refused.size()).isPositive();
        assertThat(asked).isEmpty();
    }

    @Test
    @DisplayName("TEN-07: are refused at the addresses of the worker's own machine, public or not")
    void refusesThisMachine() throws Exception {
        var connections = connections(EgressGuards.of(EgressPolicy.INTERNET));
        var own =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(Inet4Address.class::isInstance)
                        .map(InetAddress::getHostAddress)
                        .toList();

        assertThat(own).isNotEmpty();
        for (var host : own) {
            assertThat(
                            failure(client(connections, HttpTransport.STREAMABLE, host, "/", null))
                                    .kind())
                    .isEqualTo(Kind.EGRESS_REFUSED);
        }
        assertThat(asked).isEmpty();
    }

    @Test
    @DisplayName(
            "TEN-06: are refused at the worker's own addresses though they are in a network that"
                    + " is allowed, but for a port that is named")
    void refusesThisMachineInNetworks() throws Exception {
        var own =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(Inet4Address.class::isInstance)
                        .map(InetAddress::getHostAddress)
                        .toList();
        int port = server.getAddress().getPort();
        var wide = connections(allowing("0.0.0.0/0", "*"));

        for (var host : own) {
            assertThat(failure(client(wide, HttpTransport.STREAMABLE, host, "/", null)).kind())
                    .isEqualTo(Kind.EGRESS_REFUSED);
        }
        assertThat(asked).isEmpty();

        for (var host : own) {
            var exact = connections(allowing("0.0.0.0/0", host + ":" + port));
            assertThat(failure(client(exact, HttpTransport.STREAMABLE, host, "/", null)).kind())
                    .isEqualTo(Kind.HTTP_FAILED);
        }
        assertThat(asked).containsExactlyElementsOf(own);
    }

    @Test
    @DisplayName("TEN-07: are refused at the worker's own ports where loopback is allowed")
    void refusesTheWorker() throws Exception {
        int port = server.getAddress().getPort();
        var guards = allowing("127.0.0.0/8", INTERNAL + ":" + port);
        guards.listensAt(port);
        var connections = connections(guards);

        assertThat(
                        failure(client(connections, HttpTransport.STREAMABLE, ALLOWED, "/", null))
                                .kind())
                .isEqualTo(Kind.EGRESS_REFUSED);
        assertThat(asked).isEmpty();
        assertThat(
                        failure(client(connections, HttpTransport.STREAMABLE, INTERNAL, "/", null))
                                .kind())
                .isEqualTo(Kind.HTTP_FAILED);
        assertThat(asked).containsExactly(INTERNAL);
    }

    private static EgressGuards allowing(String... entries) {
        return EgressGuards.of(EgressPolicy.of(List.of(entries), List.of()));
    }

    @ParameterizedTest
    @EnumSource(HttpTransport.class)
    @DisplayName("TEN-06: are refused by the address that their name has at that moment")
    void followsRebinding(HttpTransport transport) throws Exception {
        var connections = connections(named(ONE));
        var client = client(connections, transport, "rebinds.example", "/", null);
        resolveTo(ALLOWED, INTERNAL, INTERNAL);

        assertThat(failure(client).kind()).isEqualTo(Kind.HTTP_FAILED); // It was asked.
        var failure = failure(client);

        assertThat(failure.kind()).isEqualTo(Kind.EGRESS_REFUSED);
        assertThat(failure).message().doesNotContain(SECRET).doesNotContain(INTERNAL);
        assertThat(asked).containsExactly(ALLOWED);
    }

    @Test
    @DisplayName("TEN-06: connect to the very address that was looked up and checked")
    void dialsWhatWasChecked() throws Exception {
        var client =
                client(connections(named(ONE)), HttpTransport.STREAMABLE, "a.example", "/", null);
        resolveTo(ALLOWED);

        assertThat(failure(client).kind()).isEqualTo(Kind.HTTP_FAILED);

        assertThat(lookedUp).containsExactly("a.example");
        assertThat(asked).containsExactly(ALLOWED);
    }

    @Test
    @DisplayName("TEN-07: are asked through no proxy, whatever the JVM is told")
    void usesNoProxy() throws Exception {
        var before = ProxySelector.getDefault();
        // Nobody is there; who is asked through it is not asked at all.
        ProxySelector.setDefault(ProxySelector.of(new InetSocketAddress(INTERNAL, 1)));
        try {
            var client =
                    client(
                            connections(EgressGuards.of(ONE)),
                            HttpTransport.STREAMABLE,
                            ALLOWED,
                            "/",
                            null);

            assertThat(failure(client).kind()).isEqualTo(Kind.HTTP_FAILED);
            assertThat(asked).containsExactly(ALLOWED);
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    @Test
    @DisplayName("TEN-06: are refused when one of several addresses is")
    void refusesMixedAnswers() throws Exception {
        var client =
                client(connections(named(ONE)), HttpTransport.STREAMABLE, "a.example", "/", null);
        resolveTo(ALLOWED + "," + INTERNAL, ALLOWED + "," + INTERNAL);

        assertThat(failure(client).kind()).isEqualTo(Kind.EGRESS_REFUSED);

        assertThat(asked).isEmpty();
    }

    @Test
    @DisplayName("TEN-06: are refused where a redirect leads to an internal address")
    void refusesRedirects() throws Exception {
        var client =
                client(
                        connections(named(ONE)),
                        HttpTransport.STREAMABLE,
                        "rebinds.example",
                        "/redirect",
                        null);
        resolveTo(ALLOWED, INTERNAL, INTERNAL);

        var failure = failure(client);

        assertThat(failure.kind()).isEqualTo(Kind.EGRESS_REFUSED);
        assertThat(failure).message().doesNotContain(SECRET);
        assertThat(asked).containsExactly(ALLOWED);
    }

    @Test
    @DisplayName("TEN-06: an installation's own list narrows them, and does not widen")
    void narrows() throws Exception {
        var local = connections(EgressGuards.of(LocalEgress.POLICY));
        assertThat(failure(client(local, HttpTransport.STREAMABLE, ALLOWED, "/", "10.0.0.0/8")))
                .hasMessageEndingWith("it is not in the installation's list (config.egress)");
        var internet = connections(EgressGuards.of(EgressPolicy.INTERNET));
        assertThat(
                        failure(client(internet, HttpTransport.STREAMABLE, ALLOWED, "/", ALLOWED))
                                .kind())
                .isEqualTo(Kind.EGRESS_REFUSED);
        assertThat(asked).isEmpty();

        assertThat(failure(client(local, HttpTransport.STREAMABLE, ALLOWED, "/", ALLOWED)).kind())
                .isEqualTo(Kind.HTTP_FAILED);
        assertThat(asked).containsExactly(ALLOWED);
    }

    /** What the name has in one lookup after another, several addresses separated by commas. */
    private void resolveTo(String... next) {
        for (var answer : next) {
            answers.add(List.of(answer.split(",", -1)));
        }
    }

    private EgressGuards named(EgressPolicy policy) {
        return new EgressGuards(
                policy,
                (host, _) -> {
                    lookedUp.add(host);
                    synchronized (answers) {
                        return answers.removeFirst().stream().map(InetAddress::ofLiteral).toList();
                    }
                });
    }

    private HttpConnections connections(EgressGuards guards) {
        var connections =
                HttpConnections.open(
                        new HttpOptions(PATIENCE, PATIENCE, EgressPolicy.INTERNET),
                        new LineRoom(ByteBudget.of(1 << 20)),
                        guards);
        opened.add(connections);
        return connections;
    }

    private HttpMcpClient client(
            HttpConnections connections,
            HttpTransport transport,
            String host,
            String path,
            @Nullable String only) {
        var target =
                new HttpTarget(
                        "http://" + host + ":" + server.getAddress().getPort() + path,
                        Map.of(),
                        Map.of(),
                        only == null ? null : List.of(EgressRule.parse(only)),
                        Tenant.WORKER);
        var client =
                new HttpMcpClient(
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
                            public void onEgressRefused(String what) {
                                refused.add(what);
                            }

                            @Override
                            public void onGarbage(Supplier<String> what) {}
                        });
        opened.add(client);
        return client;
    }

    private static McpException failure(HttpMcpClient client) {
        return Objects.requireNonNull(
                catchThrowableOfType(McpException.class, () -> client.initialize(PATIENCE)));
    }
}
