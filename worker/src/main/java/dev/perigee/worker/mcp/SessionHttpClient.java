package dev.perigee.worker.mcp;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The worker's HTTP client as one session's transport sees it: each request becomes an {@link
 * Exchange}. What the transport would make of failures is text; here they are still what they are.
 */
final class SessionHttpClient extends HttpClient {
    private final HttpClient shared;
    private final Exchanges exchanges;

    /** Makes the exchanges of requests that have no body to tell theirs. */
    interface Exchanges {
        Exchange withoutBody(String method);
    }

    SessionHttpClient(HttpClient shared, Exchanges exchanges) {
        this.shared = shared;
        this.exchanges = exchanges;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> transport) {
        var exchange =
                request.bodyPublisher().orElse(null) instanceof TrackedBody body
                        ? body.exchange()
                        : exchanges.withoutBody(request.method());
        exchange.begins(request);
        var response = shared.sendAsync(request, answer -> exchange.receive(answer, transport));
        exchange.began(response);
        return response.exceptionally(
                failure -> {
                    exchange.end(new ExchangeEnd.Broken(failure));
                    throw new ExchangeFailedException();
                });
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
