package dev.perigee.gateway.link;

import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.tls.TlsFileException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.WebSocketComponents;
import org.eclipse.jetty.websocket.core.client.CoreClientUpgradeRequest;
import org.eclipse.jetty.websocket.core.client.WebSocketCoreClient;
import org.eclipse.jetty.websocket.core.exception.UpgradeException;
import org.jspecify.annotations.Nullable;

/** Opens WebSockets to workers; one client with a small pool of threads for all links. */
final class JettyDialer implements AutoCloseable {
    private static final int SPARE_THREADS = 6;
    private static final int MOST_THREADS = 200;

    /** Of a connection, each way: what came together is read and written together. */
    private static final int BUFFER_BYTES = 32 << 10;

    private static final Duration FORGET_DESTINATION = Duration.ofMinutes(1);

    private final @Nullable String token;
    private final @Nullable WorkerTls tls;
    private final WebSocketCoreClient client;

    JettyDialer(LinkOptions options) throws TlsFileException {
        this.token = options.token();
        this.tls = options.tls() == null ? null : new WorkerTls(options.tls());
        var threads = new QueuedThreadPool(most(options), 1);
        threads.setName("link-io");
        threads.setDaemon(true);
        var connector = new LinkConnector();
        if (tls != null) {
            connector.setSslContextFactory(tls.factory());
        }
        var http = new PinningHttpClient(new HttpClientTransportOverHTTP(connector));
        http.setExecutor(threads);
        http.setDestinationIdleTimeout(FORGET_DESTINATION.toMillis());
        http.setFollowRedirects(false);
        http.setConnectTimeout(options.timing().connectTimeout().toMillis());
        client = new WebSocketCoreClient(http, new WebSocketComponents());
    }

    /** Our own pings find what is dead, sooner than an idle timeout. */
    private static Configuration.ConfigurationCustomizer limits() {
        var limits = new Configuration.ConfigurationCustomizer();
        limits.setIdleTimeout(Duration.ZERO);
        limits.setMaxFrameSize(LinkFrame.MAX_BYTES);
        limits.setAutoFragment(false);
        limits.setInputBufferSize(BUFFER_BYTES);
        limits.setOutputBufferSize(BUFFER_BYTES);
        return limits;
    }

    /** Of names it is not known how many workers they have. */
    private static int most(LinkOptions options) {
        boolean fixed = options.workers().stream().allMatch(WorkerSource.One.class::isInstance);
        return fixed ? SPARE_THREADS + options.workers().size() : MOST_THREADS;
    }

    void start() {
        try {
            client.start();
            // A refused token is an answer, not a challenge to be met.
            client.getHttpClient()
                    .getProtocolHandlers()
                    .remove(WWWAuthenticationProtocolHandler.NAME);
        } catch (Exception e) {
            throw new IllegalStateException("The WebSocket client does not start", e);
        }
    }

    /** Connects a wire, blocking. */
    void dial(WorkerAddress address, JettyWire wire, Duration atMost)
            throws AttemptFailedException, InterruptedException {
        if (tls != null && address.isEncrypted()) {
            tls.reload();
        }
        var request = CoreClientUpgradeRequest.from(client, address.uri(), wire);
        if (token != null) {
            request.headers(headers -> headers.put(HttpHeader.AUTHORIZATION, "Bearer " + token));
        }
        request.setConfiguration(limits());
        request.timeout(Math.max(1, atMost.toMillis()), TimeUnit.MILLISECONDS);
        try {
            var opening = connect(address, request);
            try {
                opening.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            } finally {
                opening.cancel(true);
            }
        } catch (TimeoutException e) {
            throw new AttemptFailedException("no connection within " + atMost, false);
        } catch (ExecutionException e) {
            throw explained(e.getCause());
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private CompletableFuture<CoreSession> connect(
            WorkerAddress address, CoreClientUpgradeRequest request) throws IOException {
        var at = address.at();
        return at == null
                ? client.connect(request)
                : ScopedValue.where(PinningHttpClient.AT, at).call(() -> client.connect(request));
    }

    @Override
    public void close() {
        try {
            client.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The WebSocket client does not stop", e);
        }
    }

    private static AttemptFailedException explained(@Nullable Throwable cause) {
        if (cause instanceof UpgradeException upgrade) {
            var status = upgrade.getResponseStatusCode();
            if (status == 401 || status == 403) {
                return new AttemptFailedException(
                        "the worker refuses this gateway's token: set link.token to the worker's",
                        true);
            }
            if (status > 0) {
                return new AttemptFailedException(
                        "no link server answers there, but HTTP status " + status, false);
            }
            if (upgrade.getCause() != null) {
                return explained(upgrade.getCause());
            }
        }
        if (cause instanceof SSLException refused) {
            return TlsRefusal.explained(refused);
        }
        return new AttemptFailedException(
                cause == null ? "not connected" : cause.getClass().getSimpleName(), false);
    }
}
