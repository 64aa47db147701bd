package dev.perigee.worker.mcp;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of a response that is no success, which the transport does not get to see: to
 * it the request failed. A body that has no end is left after a second: its head says enough.
 */
final class RefusedBody<T> implements HttpResponse.BodySubscriber<T> {
    private static final int MAX_BYTES = 8 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Exchange exchange;
    private final HttpResponse.ResponseInfo response;
    private final CompletableFuture<T> never = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription connection;
    private RequestDeadlines.@Nullable Deadline limit;

    RefusedBody(Exchange exchange, HttpResponse.ResponseInfo response) {
        this.exchange = exchange;
        this.response = response;
    }

    @Override
    public CompletionStage<T> getBody() {
        return never;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        connection = subscription;
        exchange.reads(subscription);
        if (exchange.isOver()) {
            finish();
        } else {
            limit = RequestDeadlines.ofAll().after(PATIENCE, () -> leave(subscription));
            subscription.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (var buffer : buffers) {
            var bytes = new byte[Math.min(buffer.remaining(), MAX_BYTES - body.size())];
            buffer.get(bytes);
            body.writeBytes(bytes);
        }
        if (body.size() >= MAX_BYTES) {
            if (connection != null) {
                connection.cancel();
            }
            finish();
        }
    }

    private void leave(Flow.Subscription subscription) {
        finish();
        subscription.cancel();
    }

    @Override
    public void onError(Throwable failure) {
        finish();
    }

    @Override
    public void onComplete() {
        finish();
    }

    private void finish() {
        var pending = limit;
        if (pending != null) {
            pending.cancel();
        }
        exchange.end(
                new ExchangeEnd.Refused(
                        response.statusCode(), response.headers(), body.toByteArray()));
        never.completeExceptionally(new ExchangeFailedException());
    }
}
