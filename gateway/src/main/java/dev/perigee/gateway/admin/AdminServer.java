package dev.perigee.gateway.admin;

import dev.perigee.protocol.settings.HostPort;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Serves {@code /health/live}, {@code /health/ready} and {@code /metrics}. Live means that the JVM
 * answers, whatever else does not: to end it cures no broker and no link. Ready is what the {@link
 * Readiness} says: {@code not_ready} until everything was ready once, {@code degraded} when that is
 * over, in both cases with what is in the way.
 */
public final class AdminServer implements AutoCloseable {
    private static final int MAX_THREADS = 6;

    private final Server server;
    private final JvmMeters jvm;
    private final HostPort address;

    private AdminServer(Server server, JvmMeters jvm, HostPort address) {
        this.server = server;
        this.jvm = jvm;
        this.address = address;
    }

    /**
     * Starts to listen, and adds the JVM's own meters to the registry.
     *
     * @throws IOException when the address cannot be listened on; the message names it
     */
    public static AdminServer start(
            HostPort listen, Readiness readiness, PrometheusMeterRegistry registry)
            throws IOException {
        var threads = new QueuedThreadPool(MAX_THREADS, 1);
        threads.setName("admin-http");
        threads.setDaemon(true);
        var server = new Server(threads);
        var http = new HttpConnectionFactory();
        http.getHttpConfiguration().setSendServerVersion(false);
        var connector = new ServerConnector(server, 1, 1, http);
        connector.setHost(listen.host());
        connector.setPort(listen.port());
        server.addConnector(connector);
        server.setHandler(new AdminHandler(readiness, registry));
        try {
            server.start();
        } catch (Exception e) {
            stop(server);
            throw new IOException("Cannot listen on admin.listen=" + listen, e);
        }
        return new AdminServer(
                server,
                JvmMeters.bind(registry),
                new HostPort(listen.host(), connector.getLocalPort()));
    }

    /** Where it listens. */
    public HostPort address() {
        return address;
    }

    @Override
    public void close() {
        jvm.close();
        stop(server);
    }

    private static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The admin server does not stop", e);
        }
    }
}
