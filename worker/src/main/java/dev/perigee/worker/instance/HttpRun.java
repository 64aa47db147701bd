package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.log.LevelInference;
import dev.perigee.worker.log.LogOptions;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.log.ServerLog;
import dev.perigee.worker.log.ServerMessage;
import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.HttpMcpClient;
import dev.perigee.worker.mcp.HttpTransport;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.tool.FailureStatus;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final Listener listener;
    private final HttpMcpClient client;
    private final EgressNotices notices;
    private final ServerLog messages;
    private final HttpCredentials credentials;
    private final AtomicBoolean looks = new AtomicBoolean();
    private final InstanceJournal journal;
    private final ServerNotices serverNotices;
    private volatile boolean over;
    private volatile boolean silent;

    /** Called on any thread; must not block. */
    interface Listener extends ServerRun.Listener {
        /** There are other secrets by now than those that the server refused. */
        void otherSecrets(HttpRun run);
    }

    /** What the log of its messages is made of. */
    record Messages(
            LogOptions options,
            InstantSource clock,
            ScheduledExecutorService timers,
            InstanceJournal journal) {}

    HttpRun(
            HttpCredentials credentials,
            AccessTokens tokens,
            HttpConnections connections,
            McpOptions options,
            Listener listener,
            ServerMetrics metrics,
            EgressNotices notices,
            Messages messages) {
        super(listener);
        this.listener = listener;
        this.credentials = credentials;
        var config = credentials.config();
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
        this.client =
                new HttpMcpClient(
                        config.processId(),
                        config.transportType() == TransportType.SSE
                                ? HttpTransport.SSE
                                : HttpTransport.STREAMABLE,
                        new AuthorizedTarget(credentials, tokens),
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

    /** Requests carry this from now on. */
    void reconfigure(ServerConfig next) {
        credentials.reconfigure(next);
    }

    /** There are other tokens, which are masked, too. */
    void masksAnew() {
        credentials.masksAnew();
    }

    /** An order has it connected: what was refused before may be taken now. */
    void looksAnew() {
        credentials.looksAnew();
    }

    /** Whether its secrets may be others by now without a new configuration. */
    boolean isRenewable() {
        return credentials.isRenewable();
    }

    /** A call was refused in this state: where that is for its secrets, there may be others. */
    static void refused(@Nullable View view, InstanceOptions options) {
        if (view != null
                && view.status() == ServerStatus.REQUIRES_REAUTH
                && view.run() instanceof HttpRun run) {
            run.lookForOtherSecrets(options.credentialTimeout());
        }
    }

    /**
     * Asks, on a thread of its own and once at a time, whether there are other secrets than the
     * server refused; if so it notifies the supervisor. Called when nothing else is sent to the
     * server.
     */
    void lookForOtherSecrets(Duration limit) {
        if (over || !isRenewable() || !looks.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        var _ =
                Thread.ofVirtual()
                        .name("look-" + config().processId())
                        .start(LogContext.current().carriedBy(() -> look(deadline)));
    }

    private void look(long deadlineNanos) {
        try {
            if (credentials.differ(deadlineNanos)) {
                listener.otherSecrets(this);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            looks.set(false);
        }
    }

    @Override
    ServerConfig config() {
        return credentials.config();
    }

    @Override
    SecretMask mask() {
        return credentials.mask();
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
        about.on(log.atInfo()).addKeyValue("process_id", config().processId()).log("{}", what);
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
            credentials.close();
            var _ =
                    Thread.ofVirtual()
                            .name("close-" + config().processId())
                            .start(LogContext.current().carriedBy(client::close));
        }
    }

    @Override
    public void onEgressRefused(String what) {
        if (!over && !silent) {
            notices.refused(config().processId(), () -> masked(what));
        }
    }

    @Override
    public void onGarbage(Supplier<String> what) {
        about.on(log.atDebug())
                .addKeyValue("process_id", config().processId())
                .log(() -> masked(what.get()));
    }
}
