package dev.perigee.local.connect;

import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.access.NewcomerLimit;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * MCP server over HTTP for users of a fleet, each of whom a token names, by the fleet's public
 * topics. Bounds: those of {@link DoorOptions}, and {@link #CONNECTIONS}.
 */
public final class DoorServer implements AutoCloseable {
    static final int CONNECTIONS = 2_048;

    private static final int MAX_THREADS = 8;
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final Server server;
    private final DoorDesk desk;
    private final FleetClient fleet;
    private final HostPort address;

    private DoorServer(Server server, DoorDesk desk, FleetClient fleet, HostPort address) {
        this.server = server;
        this.desk = desk;
        this.fleet = fleet;
        this.address = address;
    }

    /**
     * Starts to listen.
     *
     * @param note takes what only a person can act on, and no secrets; for any thread
     * @throws IOException when the tokens cannot be read, or the address cannot be listened on
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     * @throws dev.perigee.client.MissingTopicException when a topic is not there
     */
    public static DoorServer start(
            KafkaConnection kafka, DoorOptions options, Consumer<String> note) throws IOException {
        var tokens = DoorTokens.of(options.tokens(), note, System::nanoTime);
        var fleet = FleetClient.connect(kafka, note);
        var desk = new DoorDesk(options, kafka, fleet.client(), fleet.events(), note);
        var names = new ArrayList<>(options.hosts());
        names.add(options.listen().host());
        var handler =
                new DoorHandler(
                        new DoorHosts(names),
                        tokens,
                        new LegacyDoor(desk),
                        new ModernDoor(desk),
                        options.longestResponse(),
                        note);
        var threads = new QueuedThreadPool(MAX_THREADS, 1);
        threads.setName("perigee-door");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("door-"));
        var server = new Server(threads);
        var http = new HttpConnectionFactory();
        http.getHttpConfiguration().setSendServerVersion(false);
        var connector = new ServerConnector(server, 1, 1, http);
        connector.setHost(options.listen().host());
        connector.setPort(options.listen().port());
        server.addConnector(connector);
        server.setHandler(new NewcomerLimit(connector, http, CONNECTIONS, IDLE, handler));
        try {
            server.start();
        } catch (Exception e) {
            stop(server);
            fleet.client().close();
            throw new IOException("Cannot listen on " + options.listen(), e);
        }
        desk.start();
        var address = new HostPort(options.listen().host(), connector.getLocalPort());
        return new DoorServer(server, desk, fleet, address);
    }

    /** Where it listens. */
    public HostPort address() {
        return address;
    }

    /** Waits until the fleet's answers cannot be read any more, or it is closed. */
    public void awaitEnd() throws InterruptedException {
        desk.awaitEnd();
    }

    /** Ends sessions and calls, which are cancelled, then everything else. */
    @Override
    public void close() {
        desk.close();
        stop(server);
        fleet.client().close();
    }

    private static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The door does not stop", e);
        }
    }
}
