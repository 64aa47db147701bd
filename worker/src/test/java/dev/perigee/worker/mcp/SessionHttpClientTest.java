package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.EgressGuard;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.LocalEgress;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class SessionHttpClientTest {

    @Test
    @DisplayName("a refusal that comes before the sender goes on finds the session it was sent in")
    void refusedAtOnce() {
        var ends = new ArrayList<ExchangeEnd>();
        var inSession = new ArrayList<Boolean>();
        var exchange =
                new Exchange(
                        1,
                        Exchange.Kind.RECEIPT,
                        new LineRoom(ByteBudget.of(1 << 20)),
                        (ended, end) -> {
                            ends.add(end);
                            inSession.add(ended.sessionId() != null);
                        });
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1/mcp"))
                        .header("Mcp-Session-Id", "one")
                        .POST(new TrackedBody(exchange, new byte[] {'1'}))
                        .build();

        var response =
                new SessionHttpClient(new RefusingAtOnce(), 1024, new NoExchanges())
                        .sendAsync(request, BodyHandlers.ofString());

        assertThat(response).isCompletedExceptionally();
        assertThat(ends).singleElement().isInstanceOf(ExchangeEnd.Refused.class);
        assertThat(inSession).containsExactly(true);
    }

    /** For requests whose bodies tell their exchanges. */
    private static final class NoExchanges implements SessionHttpClient.Exchanges {
        @Override
        public Exchange withoutBody(String method) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean holds(HttpRequest request) {
            return false;
        }

        @Override
        public URI complete(URI address) {
            return address;
        }

        @Override
        public EgressGuard guard(URI address) {
            return EgressGuards.of(LocalEgress.POLICY).guard(address, "user", null);
        }

        @Override
        public void refused(String what) {
            throw new AssertionError(what);
        }
    }

    /** A server so near that its refusal is here before {@code sendAsync} returns. */
    private static final class RefusingAtOnce extends HttpClient {
        private record NotFound(HttpHeaders headers, Version version, int statusCode)
                implements HttpResponse.ResponseInfo {}

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            var none = HttpHeaders.of(Map.of(), (_, _) -> true);
            var body = handler.apply(new NotFound(none, Version.HTTP_1_1, 404));
            body.onSubscribe(
                    new Flow.Subscription() {
                        @Override
                        public void request(long bytes) {}

                        @Override
                        public void cancel() {}
                    });
            body.onNext(List.of());
            body.onComplete();
            return body.getBody()
                    .<HttpResponse<T>>thenApply(
                            _ -> {
                                throw new IllegalStateException("a refusal has no body");
                            })
                    .toCompletableFuture();
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request,
                HttpResponse.BodyHandler<T> handler,
                HttpResponse.@Nullable PushPromiseHandler<T> pushes) {
            return sendAsync(request, handler);
        }

        @Override
        public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<CookieHandler> cookieHandler() {
            return Optional.empty();
        }

        @Override
        public Optional<Duration> connectTimeout() {
            return Optional.empty();
        }

        @Override
        public Redirect followRedirects() {
            return Redirect.NEVER;
        }

        @Override
        public Optional<ProxySelector> proxy() {
            return Optional.empty();
        }

        @Override
        public SSLContext sslContext() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SSLParameters sslParameters() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Authenticator> authenticator() {
            return Optional.empty();
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }

        @Override
        public Optional<Executor> executor() {
            return Optional.empty();
        }
    }
}
