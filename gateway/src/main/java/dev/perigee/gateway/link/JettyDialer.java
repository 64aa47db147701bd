package dev.perigee.gateway.link;

import dev.perigee.link.LinkSocket;
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
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.WebSocketComponents;
import org.eclipse.jetty.websocket.core.client.WebSocketCoreClient;
import org.eclipse.jetty.websocket.core.exception.UpgradeException;
import org.jspecify.annotations.Nullable;

/** Logs in at workers and opens WebSockets; one client with few threads for all links. */
final class JettyDialer implements AutoCloseable {
    private static final int SPARE_THREADS = 6;
    private static final int MOST_THREADS = 200;

    private static final Duration FORGET_DESTINATION = Duration.ofMinutes(1);

    private final @Nullable WorkerTls tls;
    private final WebSocketCoreClient client;
    private final @Nullable LinkLogin login;

    JettyDialer(LinkOptions options) throws TlsFileException {
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
        http.setHttpCookieStore(new HttpCookieStore.Empty());
        client = new WebSocketCoreClient(http, new WebSocketComponents());
        login = options.token() == null ? null : new LinkLogin(http, options.token());
    }

    private static Configuration.ConfigurationCustomizer limits() {
        var limits = new Configuration.ConfigurationCustomizer();
        LinkSocket.configure(limits);
        limits.setAutoFragment(false);
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

    /** Logs in and opens a WebSocket, blocking. */
    void dial(WorkerAddress address, LinkSocket socket, Duration atMost)
            throws AttemptFailedException, InterruptedException {
        if (tls != null && address.isEncrypted()) {
            tls.reload();
        }
        var deadline = Deadline.in(atMost);
        try {
            open(address, socket, login == null ? null : login(login, address, deadline), deadline);
        } catch (TimeoutException e) {
            throw new AttemptFailedException("no connection within " + atMost, false);
        } catch (ExecutionException e) {
            throw explained(e.getCause());
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private static LinkLogin.Shown login(LinkLogin login, WorkerAddress address, Deadline deadline)
            throws AttemptFailedException,
                    InterruptedException,
                    ExecutionException,
                    TimeoutException,
                    IOException {
        var begun = login.begin();
        var asking = at(address, () -> login.ask(begun, address.uri(), millis(deadline)));
        return LinkLogin.met(begun, await(asking, deadline));
    }

    private void open(
            WorkerAddress address,
            LinkSocket socket,
            LinkLogin.@Nullable Shown shown,
            Deadline deadline)
            throws InterruptedException, ExecutionException, TimeoutException, IOException {
        var request = new ProvenUpgrade(client, address.uri(), socket, shown);
        request.setConfiguration(limits());
        request.timeout(millis(deadline), TimeUnit.MILLISECONDS);
        await(at(address, () -> client.connect(request)), deadline);
    }

    private static long millis(Deadline deadline) {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline.nanosLeft()));
    }

    private static <T> T await(CompletableFuture<T> answer, Deadline deadline)
            throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return answer.get(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
        } finally {
            answer.cancel(true);
        }
    }

    private static <T> T at(WorkerAddress address, ScopedValue.CallableOp<T, IOException> operation)
            throws IOException {
        var at = address.at();
        return at == null
                ? operation.call()
                : ScopedValue.where(PinningHttpClient.AT, at).call(operation);
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
            if (upgrade.getCause() instanceof ProvenUpgrade.UnprovenException) {
                return new AttemptFailedException(
                        "what answers there does not prove that it has this gateway's link.token,"
                                + " so nothing was sent to it: look which program listens there,"
                                + " and set the worker's link.token to this gateway's",
                        false);
            }
            var status = upgrade.getResponseStatusCode();
            if (status == 401 || status == 403) {
                return new AttemptFailedException(
                        "the worker refuses this gateway: set link.token, here and there, to the"
                                + " same",
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
