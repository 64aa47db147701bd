package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.log.LevelInference;
import dev.perigee.worker.log.LogOptions;
import dev.perigee.worker.log.ServerLog;
import dev.perigee.worker.log.ServerMessage;
import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.HttpMcpClient;
import dev.perigee.worker.mcp.HttpTarget;
import dev.perigee.worker.mcp.HttpTransport;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.tool.FailureStatus;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One user's client of a server that is reached over HTTP. It outlives outages of the server; its
 * configuration may change at any time, and counts from the next request on.
 */
final class HttpRun extends ServerRun {
    private static final Logger log = LoggerFactory.getLogger(HttpRun.class);

    private final LogContext about = LogContext.current();
    private final HttpMcpClient client;
    private final EgressNotices notices;
    private final ServerLog messages;
    private final InstanceJournal journal;
    private final ServerNotices serverNotices;
    private volatile ServerConfig config;
    private volatile HttpTarget target;
    private volatile boolean over;
    private volatile boolean silent;

    /** What the log of its messages is made of. */
    record Messages(
            LogOptions options,
            InstantSource clock,
            ScheduledExecutorService timers,
            InstanceJournal journal) {}

    HttpRun(
            ServerConfig config,
            HttpConnections connections,
            McpOptions options,
            Mailbox mailbox,
            ServerMetrics metrics,
            EgressNotices notices,
            Messages messages) {
        super(mailbox);
        this.messages =
                new ServerLog(
                        config.processId(),
                        messages.options(),
                        this::masked,
                        messages.clock(),
                        messages.timers(),
                        event -> {
                            if (!silent) {
                                messages.journal().append(event, null, null);
                            }
                        });
        this.journal = messages.journal();
        this.serverNotices = new ServerNotices(this::masked, new Outlet(), messages.timers());
        this.notices = notices;
        this.config = config;
        this.target = targetOf(config);
        this.client =
                new HttpMcpClient(
                        config.processId(),
                        config.transportType() == TransportType.SSE
                                ? HttpTransport.SSE
                                : HttpTransport.STREAMABLE,
                        () -> target,
                        connections,
                        options,
                        metrics,
                        this);
    }

    private final class Outlet implements ServerNotices.Outlet {
        @Override
        public void publish(EventBody event) {
            if (!over && !silent && journal.reaches(event.type())) {
                journal.appendNotice(event, null);
            }
        }

        @Override
        public void remark(String what) {
            if (!over) {
                messages.remark(LevelInference.WARN, what);
            }
        }
    }

    private static HttpTarget targetOf(ServerConfig config) {
        return new HttpTarget(
                config.url() == null ? "" : config.url(),
                config.headers(),
                config.urlQueryParams(),
                config.egressRules(),
                new Tenant(config.teamId(), config.userId()));
    }

    /** Requests carry this from now on. */
    void reconfigure(ServerConfig next) {
        config = next;
        target = targetOf(next);
    }

    @Override
    ServerConfig config() {
        return config;
    }

    @Override
    HttpMcpClient client() {
        return client;
    }

    @Override
    @Nullable Long pid() {
        return null;
    }

    @Override
    boolean isOver() {
        return over;
    }

    @Override
    String lastWords() {
        return "";
    }

    @Override
    void remark(String what) {
        about.on(log.atInfo()).addKeyValue("process_id", config.processId()).log("{}", what);
    }

    @Override
    ServerNotices serverNotices() {
        return serverNotices;
    }

    @Override
    void logged(Supplier<@Nullable ServerMessage> message) {
        if (!over) {
            messages.message(message);
        }
    }

    @Override
    FailureStatus undiscovered(McpException failure) {
        var trouble = FailureStatus.of(failure);
        return new FailureStatus(trouble.status(), masked(trouble.message()));
    }

    @Override
    void silence() {
        silent = true;
    }

    /** Requests in flight fail at once; the session is ended on a thread of its own. */
    @Override
    void kill() {
        if (!over) {
            over = true;
            var _ =
                    Thread.ofVirtual()
                            .name("close-" + config.processId())
                            .start(LogContext.current().carriedBy(client::close));
        }
    }

    @Override
    public void onEgressRefused(String what) {
        if (!over && !silent) {
            notices.refused(config.processId(), () -> masked(what));
        }
    }

    @Override
    public void onGarbage(Supplier<String> what) {
        about.on(log.atDebug())
                .addKeyValue("process_id", config.processId())
                .log(() -> masked(what.get()));
    }
}
