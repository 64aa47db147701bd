package dev.perigee.worker.mcp;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response that redirects, which has no value: read so that the connection can be
 * used again, unless it is long or has no end within a second.
 */
final class DiscardedBody<T> implements HttpResponse.BodySubscriber<T> {
    private static final int MAX_BYTES = 8 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final CompletableFuture<T> end = new CompletableFuture<>();
    private Flow.@Nullable Subscription connection;
    private RequestDeadlines.@Nullable Deadline limit;
    private long bytes;

    @Override
    public CompletionStage<T> getBody() {
        return end;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        connection = subscription;
        limit = RequestDeadlines.ofAll().after(PATIENCE, () -> leave(subscription));
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (var buffer : buffers) {
            bytes += buffer.remaining();
        }
        if (bytes > MAX_BYTES && connection != null) {
            leave(connection);
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
        end.completeExceptionally(new ExchangeFailedException());
    }
}
