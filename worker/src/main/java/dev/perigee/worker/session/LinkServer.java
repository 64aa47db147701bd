package dev.perigee.worker.session;

import dev.perigee.link.LinkSocket;
import dev.perigee.protocol.access.NewcomerLimit;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.link.LinkMethod;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketUpgradeHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server of the link: a WebSocket at {@link #PATH} that gateways dial. A client without the token
 * is refused before the upgrade, one without the certificate in the TLS handshake; unauthenticated
 * connections are bounded in number and time. Compression is not offered: it would cost more than
 * it saves.
 */
public final class LinkServer implements AutoCloseable {
    /** Where the link is. */
    public static final String PATH = "/link";

    private static final Logger log = LoggerFactory.getLogger(LinkServer.class);
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** Connections that have not become a gateway's link, and how long they may be silent. */
    private static final int STRANGERS = 256;

    private static final Duration STRANGER_IDLE = Duration.ofSeconds(5);

    private final Server server;
    private final ServerConnector connector;
    private final LinkConnections connections;
    private final LinkDispatcher dispatcher;
    private final HeartbeatTicker heartbeats;
    private final @Nullable LinkTls tls;

    private LinkServer(
            Server server,
            ServerConnector connector,
            LinkConnections connections,
            LinkDispatcher dispatcher,
            HeartbeatTicker heartbeats,
            @Nullable LinkTls tls) {
        this.server = server;
        this.connector = connector;
        this.connections = connections;
        this.dispatcher = dispatcher;
        this.heartbeats = heartbeats;
        this.tls = tls;
    }

    /**
     * Listens.
     *
     * @param identity who answers {@code link/hello}
     * @param heartbeat how the worker is, asked at each interval
     * @throws IllegalArgumentException when others than this machine could connect without showing
     *     a token or a certificate
     * @throws IOException when the address cannot be listened on or a TLS file cannot be used
     */
    public static LinkServer start(
            LinkServerOptions options,
            WorkerIdentity identity,
            SessionRegistry sessions,
            Supplier<Heartbeat> heartbeat,
            Duration heartbeatInterval,
            MeterRegistry meters)
            throws IOException {
        requireSafe(options);
        var connections = new LinkConnections();
        var dispatcher = new LinkDispatcher(identity, sessions);
        var server = new Server(threads());
        var tls = options.tls() == null ? null : new LinkTls(options.tls());
        var http = http();
        var connector = connector(server, http, options, tls);
        if (tls != null) {
            connector.addBean(tls.refusals(sessions.metrics()::unauthorized));
        }
        var upgrade = new WebSocketUpgradeHandler();
        upgrade.addMapping(
                PATH,
                WebSocketNegotiator.from(
                        (request, response, callback) -> {
                            response.setExtensions(List.of());
                            return new GatewayConnection(
                                            options,
                                            dispatcher,
                                            connections,
                                            connector.getScheduler())
                                    .socket();
                        },
                        (handler, request, response) -> (LinkSocket) handler,
                        LinkSocket::configure));
        var gate = new LinkGate(options.token(), sessions.metrics(), upgrade);
        var strangers = new NewcomerLimit(connector, http, STRANGERS, STRANGER_IDLE, gate);
        server.setHandler(strangers);
        measure(strangers, meters);
        Gauge.builder("perigee.worker.link.connections", connections, LinkConnections::count)
                .description("Gateways that are connected")
                .register(meters);
        var heartbeats = new HeartbeatTicker(connections, heartbeat, heartbeatInterval);
        var link = new LinkServer(server, connector, connections, dispatcher, heartbeats, tls);
        link.listen(options);
        return link;
    }

    private static void requireSafe(LinkServerOptions options) throws IOException {
        var address = InetAddress.getByName(options.listen().host());
        if (!options.authenticates() && !address.isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "link.listen is %s, which others than this machine can reach: set link.token or"
                                    .formatted(options.listen())
                            + " link.tls.client-ca");
        }
    }

    private static QueuedThreadPool threads() {
        var threads = new QueuedThreadPool(8, 2);
        threads.setName("link");
        return threads;
    }

    private static void measure(NewcomerLimit strangers, MeterRegistry meters) {
        Gauge.builder("perigee.worker.link.unauthenticated", strangers, NewcomerLimit::count)
                .description("Connections to the link that are no gateway's yet")
                .register(meters);
        FunctionCounter.builder(
                        "perigee.worker.link.displaced", strangers, NewcomerLimit::displaced)
                .description("Such connections closed because there were too many")
                .register(meters);
    }

    private static HttpConnectionFactory http() {
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        return new HttpConnectionFactory(configuration);
    }

    private static ServerConnector connector(
            Server server,
            HttpConnectionFactory http,
            LinkServerOptions options,
            @Nullable LinkTls tls) {
        var connector =
                tls == null
                        ? new LinkAcceptor(server, http)
                        : new LinkAcceptor(
                                server,
                                new SslConnectionFactory(tls.factory(), http.getProtocol()),
                                http);
        connector.setHost(options.listen().host());
        connector.setPort(options.listen().port());
        server.addConnector(connector);
        return connector;
    }

    private void listen(LinkServerOptions options) throws IOException {
        try {
            server.start();
        } catch (Exception e) {
            stop();
            throw new IOException(
                    "The link cannot listen on %s: %s".formatted(options.listen(), e.getMessage()),
                    e);
        }
        heartbeats.start();
        if (tls != null) {
            tls.start();
        }
        log.atInfo().addKeyValue("link", uri()).log("Serving the link");
    }

    /** Where gateways connect. */
    public URI uri() {
        var host = connector.getHost();
        var shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        var scheme = tls == null ? "ws://" : "wss://";
        return URI.create(scheme + shown + ":" + connector.getLocalPort() + PATH);
    }

    /** Whether gateways can connect. */
    public boolean isListening() {
        return connector.isRunning() && connector.getLocalPort() > 0;
    }

    /** Whether any gateway is connected. */
    public boolean hasGateways() {
        return connections.isAnyGreeted();
    }

    /** Notifies all gateways of the drain state. */
    public void announce(DrainState state) {
        for (var connection : connections.all()) {
            connection.tell(LinkMethod.DRAINING, state.notice());
        }
    }

    /** Closes all connections in order and stops listening. */
    @Override
    public void close() {
        heartbeats.close();
        if (tls != null) {
            tls.close();
        }
        for (var connection : connections.all()) {
            connection.finish();
        }
        try {
            connections.awaitNone(GOODBYE.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stop();
    }

    private void stop() {
        try {
            server.stop();
        } catch (Exception e) {
            log.atWarn().setCause(e).log("The link's server did not stop cleanly");
        }
        dispatcher.close();
    }
}
