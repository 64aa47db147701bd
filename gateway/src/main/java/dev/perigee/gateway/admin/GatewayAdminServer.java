package dev.perigee.gateway.admin;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.access.NewcomerLimit;
import dev.perigee.protocol.settings.HostPort;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Serves {@code /health/live}, {@code /health/ready} and {@code /metrics}. Live means that the JVM
 * answers, whatever else does not: to end it cures no broker and no link. Ready is what the {@link
 * Readiness} says: {@code not_ready} until everything was ready once, {@code degraded} when that is
 * over, in both cases with what is in the way. Health is for everybody, the rest for those whom the
 * {@link AdminAccess} lets.
 */
public final class GatewayAdminServer implements AutoCloseable {
    private static final int MAX_THREADS = 6;

    /** All connections: who has the token shows it with each request. */
    private static final int CONNECTIONS = 128;

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Server server;
    private final GatewayJvmMeters jvm;
    private final HostPort address;

    private GatewayAdminServer(Server server, GatewayJvmMeters jvm, HostPort address) {
        this.server = server;
        this.jvm = jvm;
        this.address = address;
    }

    /**
     * Starts to listen, and adds the JVM's own meters to the registry.
     *
     * @param pages what else is served; each leaves to others what is not its own, and checks
     *     itself who may see it
     * @throws IOException when the address cannot be listened on; the message names it
     */
    public static GatewayAdminServer start(
            HostPort listen,
            AdminAccess access,
            Readiness readiness,
            PrometheusMeterRegistry registry,
            Handler... pages)
            throws IOException {
        var threads = new QueuedThreadPool(MAX_THREADS, 1);
        threads.setName("admin-http");
        threads.setDaemon(true);
        // A page may receive changes for as long as it is open.
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("admin-"));
        var server = new Server(threads);
        var http = new HttpConnectionFactory();
        http.getHttpConfiguration().setSendServerVersion(false);
        var connector = new ServerConnector(server, 1, 1, http);
        connector.setHost(listen.host());
        connector.setPort(listen.port());
        server.addConnector(connector);
        var all = new ArrayList<>(List.of(pages));
        all.add(new AdminHandler(access, readiness, registry));
        var limit =
                new NewcomerLimit(connector, http, CONNECTIONS, IDLE, new Handler.Sequence(all));
        server.setHandler(limit);
        measure(limit, registry);
        try {
            server.start();
        } catch (Exception e) {
            stop(server);
            throw new IOException("Cannot listen on admin.listen=" + listen, e);
        }
        return new GatewayAdminServer(
                server,
                GatewayJvmMeters.bind(registry),
                new HostPort(listen.host(), connector.getLocalPort()));
    }

    private static void measure(NewcomerLimit limit, MeterRegistry registry) {
        Gauge.builder("perigee.gateway.admin.connections", limit, NewcomerLimit::count)
                .description("Connections to the admin pages")
                .register(registry);
        FunctionCounter.builder("perigee.gateway.admin.displaced", limit, NewcomerLimit::displaced)
                .description("Such connections closed because there were too many")
                .register(registry);
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
