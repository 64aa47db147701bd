package dev.perigee.worker.mcp;

import dev.perigee.worker.egress.EgressGuard;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The worker's HTTP client as one session's transport sees it: each request becomes an {@link
 * Exchange}. What the transport would make of failures is text; here they are still what they are.
 */
final class SessionHttpClient extends HttpClient {
    private final HttpClient shared;
    private final int maxMessageBytes;
    private final Exchanges exchanges;

    /** Source of the exchanges that the transport's requests belong to. */
    interface Exchanges {
        /** Makes the exchange of a request that has no body to tell its own. */
        Exchange withoutBody(String method);

        /** Whether this is the stream of notifications, which the session opens by itself. */
        boolean holds(HttpRequest request);

        /** An address of the server, with what its user configured for each. */
        URI complete(URI address);

        /** Holds a request to this address to the egress policy. */
        EgressGuard guard(URI address);

        /** The policy refused a request; the text is for people. */
        void refused(String what);
    }

    SessionHttpClient(HttpClient shared, int maxMessageBytes, Exchanges exchanges) {
        this.shared = shared;
        this.maxMessageBytes = maxMessageBytes;
        this.exchanges = exchanges;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> transport) {
        if (exchanges.holds(request)) {
            return new CompletableFuture<>(); // The transport waits for it until the session ends.
        }
        var exchange =
                request.bodyPublisher().orElse(null) instanceof TrackedBody body
                        ? body.exchange()
                        : exchanges.withoutBody(request.method());
        return send(request, exchange, transport);
    }

    /** Sends a request of this exchange, which ends if that fails. */
    <T> CompletableFuture<HttpResponse<T>> send(
            HttpRequest request, Exchange exchange, HttpResponse.BodyHandler<T> transport) {
        return send(request, exchange, transport, 0)
                .exceptionally(
                        failure -> {
                            exchange.end(new ExchangeEnd.Broken(failure));
                            throw new ExchangeFailedException();
                        });
    }

    private <T> CompletableFuture<HttpResponse<T>> send(
            HttpRequest request,
            Exchange exchange,
            HttpResponse.BodyHandler<T> transport,
            int redirects) {
        var guard = exchanges.guard(request.uri());
        if (guard.refusesLiteral(request.uri().getHost())) {
            return CompletableFuture.failedFuture(refused(request.uri(), guard));
        }
        exchange.begins(request);
        var next = new AtomicReference<@Nullable URI>();
        var response =
                guard.within(
                        () ->
                                shared.sendAsync(
                                        request,
                                        answer -> {
                                            next.set(
                                                    redirect(request, exchange, answer, redirects));
                                            return next.get() == null
                                                    ? receive(exchange, answer, transport)
                                                    : new DiscardedBody<>();
                                        }));
        exchange.began(response);
        return response.exceptionallyCompose(
                failure -> {
                    if (guard.refusal() != null && !exchange.responded()) {
                        return CompletableFuture.failedFuture(refused(request.uri(), guard));
                    }
                    var address = next.get();
                    if (address == null && !exchange.responded()) {
                        close(response);
                    }
                    if (address == null || exchange.isOver()) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    exchange.movesOn();
                    return send(moved(request, address), exchange, transport, redirects + 1);
                });
    }

    private McpException refused(URI address, EgressGuard guard) {
        var what = HttpFailures.destination(address) + ": " + guard.refusal();
        exchanges.refused(what);
        return HttpFailures.egressRefused(what);
    }

    /**
     * Closes the connection of a request that failed. The JDK leaves it open, for ever, where the
     * response's head cannot be read; cancelling what depends on a response cancels its request,
     * also one that has failed, while the failed future itself takes no more notice.
     */
    private static void close(CompletableFuture<?> failed) {
        failed.newIncompleteFuture().cancel(true);
    }

    /** Where the request goes next, null when this was its response. */
    private static @Nullable URI redirect(
            HttpRequest request,
            Exchange exchange,
            HttpResponse.ResponseInfo answer,
            int redirects) {
        int status = answer.statusCode();
        if (!RedirectDecision.isMeant(status)) {
            return null;
        }
        var location = answer.headers().firstValue("location").orElse(null);
        return switch (RedirectDecision.of(request.uri(), status, location, redirects)) {
            case RedirectDecision.Follow(var address) -> address;
            case RedirectDecision.Refuse(var message) -> {
                exchange.end(new ExchangeEnd.Redirected(message));
                yield null;
            }
        };
    }

    /** Who reads the response: the transport, if it is one for it. */
    private <T> HttpResponse.BodySubscriber<T> receive(
            Exchange exchange,
            HttpResponse.ResponseInfo response,
            HttpResponse.BodyHandler<T> transport) {
        exchange.responds();
        int status = response.statusCode();
        if (status < 200 || status > 299) {
            return new RefusedBody<>(exchange, response);
        }
        var kind = exchange.kind();
        var type = contentType(response.headers());
        boolean events = type.contains("text/event-stream");
        boolean empty = status == 202 || status == 204 || isEmpty(response.headers());
        boolean known =
                switch (kind) {
                    case ANSWER -> !empty && (events || type.contains("application/json"));
                    case STREAM, NOTIFICATIONS, RESUMED -> events;
                    case RECEIPT -> true;
                };
        if (!known) {
            exchange.end(new ExchangeEnd.Foreign(status, empty ? "" : type));
            return new RefusedBody<>(exchange, response);
        }
        var place = events ? exchange.cursor() : null;
        return new ObservedBody<>(
                exchange,
                transport.apply(response),
                new MessageGauge(events, maxMessageBytes),
                place == null
                        ? null
                        : EventFramer.withoutMessages(place, EventCursor.MAX_LINE_BYTES),
                kind == Exchange.Kind.ANSWER || kind == Exchange.Kind.STREAM
                        ? EndMark.bytes(exchange.number(), events)
                        : null);
    }

    private static boolean isEmpty(HttpHeaders headers) {
        return headers.firstValueAsLong("content-length").orElse(-1) == 0;
    }

    private static String contentType(HttpHeaders headers) {
        return headers.firstValue("content-type").orElse("").toLowerCase(Locale.ROOT);
    }

    private HttpRequest moved(HttpRequest request, URI address) {
        return HttpRequest.newBuilder(request, (_, _) -> true)
                .uri(exchanges.complete(address))
                .build();
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request,
            HttpResponse.BodyHandler<T> transport,
            HttpResponse.@Nullable PushPromiseHandler<T> pushes) {
        return sendAsync(request, transport);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> transport) {
        throw new UnsupportedOperationException("transports send asynchronously");
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return shared.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return shared.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return shared.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return shared.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return shared.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return shared.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return shared.authenticator();
    }

    @Override
    public Version version() {
        return shared.version();
    }

    @Override
    public Optional<Executor> executor() {
        return shared.executor();
    }
}
