package dev.perigee.worker.admin;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.access.NewcomerLimit;
import dev.perigee.protocol.access.UnreadRequest;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.worker.instance.InstanceSnapshot;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /health/live}, {@code /health/ready}, {@code /metrics} and, where it is switched
 * on, {@code /debug/instances}, of all instances or by {@code process}, {@code name}, {@code
 * installation}, {@code team}, {@code user} and {@code state}, and {@code /drain}. Health is for
 * everybody, the rest for those whom the {@link AdminAccess} lets.
 */
public final class WorkerAdminServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WorkerAdminServer.class);
    private static final String JSON = "application/json";
    private static final String LIVE = "/health/live";
    private static final String READY = "/health/ready";
    private static final String METRICS = "/metrics";

    /** All connections: who has the token shows it with each request. */
    private static final int CONNECTIONS = 128;

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Server server;
    private final ServerConnector connector;

    private WorkerAdminServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    /**
     * Listens.
     *
     * @throws IOException when the address cannot be listened on
     */
    public static WorkerAdminServer start(HostPort listen, Pages pages) throws IOException {
        // Else Jetty asks the JVM's management for it, which takes longer to start than the worker.
        System.setProperty("org.eclipse.jetty.util.referencesPerCacheLine", "16");
        var threads = new QueuedThreadPool(4, 1);
        threads.setName("admin");
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("admin-"));
        var server = new Server(threads);
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        var factory = new HttpConnectionFactory(http);
        var connector = new ServerConnector(server, 1, 1, factory);
        connector.setHost(listen.host());
        connector.setPort(listen.port());
        server.addConnector(connector);
        var limit =
                new NewcomerLimit(connector, factory, CONNECTIONS, IDLE, new PageHandler(pages));
        server.setHandler(limit);
        WorkerGauges.connections(pages.meters(), limit);
        var admin = new WorkerAdminServer(server, connector);
        try {
            server.start();
        } catch (Exception e) {
            admin.close();
            throw new IOException(
                    "The admin pages cannot be served on %s: %s".formatted(listen, e.getMessage()),
                    e);
        }
        log.atInfo().addKeyValue("admin", admin.uri()).log("Serving the admin pages");
        return admin;
    }

    /** Where it is served. */
    public URI uri() {
        return uri(connector.getHost(), connector.getLocalPort());
    }

    /** The same as others on this host's network reach it. */
    public URI seenUri() {
        return uri(seen(connector.getHost()), connector.getLocalPort());
    }

    private static URI uri(String host, int port) {
        var shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return URI.create("http://" + shown + ":" + port);
    }

    /** A name is its address: others need not know it. All addresses are this host's own one. */
    static String seen(String host) {
        try {
            var address = InetAddress.getByName(host);
            if (address.isAnyLocalAddress()) {
                return InetAddress.getLocalHost().getHostAddress();
            }
            return isName(host) ? address.getHostAddress() : host;
        } catch (UnknownHostException e) {
            log.atDebug().addKeyValue("host", host).log("Cannot resolve this host's own address");
            return host;
        }
    }

    private static boolean isName(String host) {
        try {
            var _ = InetAddress.ofLiteral(host);
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            log.atWarn().setCause(e).log("The admin server did not stop cleanly");
        }
    }

    /** The body of an error. */
    private record Problem(String error) {}

    /**
     * Handlers and their access rules.
     *
     * @param live false when only a restart helps
     * @param ready whether gateways can be served
     * @param capacity what the instances' servers share
     * @param debug whether instances are shown
     * @param access who may see more than health
     */
    public record Pages(
            Health live,
            Health ready,
            PrometheusMeterRegistry meters,
            Supplier<List<InstanceSnapshot>> instances,
            ServerCapacity capacity,
            boolean debug,
            DrainControl drain,
            AdminAccess access) {}

    private static final class PageHandler extends Handler.Abstract {
        private final Pages pages;
        private final InstanceGauges gauges;
        private final DebugInstances instances;
        private final DrainPage drain;

        PageHandler(Pages pages) {
            this.pages = pages;
            this.gauges = new InstanceGauges(pages.meters(), pages.instances(), pages.capacity());
            WorkerGauges.register(pages.meters(), pages.ready(), pages.drain());
            this.instances = new DebugInstances(pages.instances());
            this.drain = new DrainPage(pages.drain());
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            var path = Request.getPathInContext(request);
            var refusal = refusal(path, request);
            if (refusal != null) {
                if (refusal.unauthorized()) {
                    response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
                }
                problem(response, callback, refusal.status(), refusal.reason());
                return true;
            }
            if (path.equals("/drain")) {
                var answer = drain.answer(request);
                response.setStatus(answer.status());
                send(response, callback, JSON, answer.json());
                return true;
            }
            if (!HttpMethod.GET.is(request.getMethod())) {
                problem(
                        response,
                        callback,
                        HttpStatus.METHOD_NOT_ALLOWED_405,
                        "only GET is answered here");
                return true;
            }
            switch (path) {
                case LIVE -> health(pages.live(), response, callback);
                case READY -> health(pages.ready(), response, callback);
                case METRICS -> {
                    gauges.update();
                    send(
                            response,
                            callback,
                            "text/plain; version=0.0.4; charset=utf-8",
                            pages.meters().scrape().getBytes(StandardCharsets.UTF_8));
                }
                case "/debug/instances" -> debug(request, response, callback);
                default ->
                        problem(
                                response,
                                callback,
                                HttpStatus.NOT_FOUND_404,
                                "not found; there are /health/live, /health/ready, /metrics,"
                                        + " /debug/instances, /drain");
            }
            return true;
        }

        private AdminAccess.@Nullable Refusal refusal(String path, Request request) {
            return switch (path) {
                case LIVE, READY -> null;
                case METRICS -> pages.access().metricsRefusal(request.getHeaders()::get);
                default -> pages.access().refusal(request.getHeaders()::get);
            };
        }

        private void debug(Request request, Response response, Callback callback) {
            if (!pages.debug()) {
                problem(
                        response,
                        callback,
                        HttpStatus.NOT_FOUND_404,
                        "switched off, see admin.debug");
                return;
            }
            var asked = new HashMap<String, String>();
            for (var field : Request.extractQueryParameters(request)) {
                asked.put(field.getName(), field.getValue());
            }
            if (!InstanceQuery.parameters().containsAll(asked.keySet())) {
                problem(
                        response,
                        callback,
                        HttpStatus.BAD_REQUEST_400,
                        "instances are asked for by " + InstanceQuery.parameters());
                return;
            }
            send(response, callback, JSON, instances.page(new InstanceQuery(asked)));
        }

        private static void health(Health health, Response response, Callback callback) {
            var answer = health.ask();
            response.setStatus(
                    answer.isWell() ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503);
            send(response, callback, JSON, answer.encode());
        }

        private static void problem(
                Response response, Callback callback, int status, String error) {
            response.setStatus(status);
            send(response, callback, JSON, Json.write(new Problem(error)));
        }

        private static void send(
                Response response, Callback callback, String type, byte[] content) {
            UnreadRequest.announceClose(response);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
            response.write(true, ByteBuffer.wrap(content), callback);
        }
    }
}
