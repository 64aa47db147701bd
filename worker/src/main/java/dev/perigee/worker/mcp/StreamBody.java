package dev.perigee.worker.mcp;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Reads a stream of events as it comes; how it ends the {@link Exchange} knows. */
final class StreamBody implements HttpResponse.BodySubscriber<Boolean> {
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final EventFramer framer;

    StreamBody(EventFramer.Sink sink) {
        this.framer = new EventFramer(sink);
    }

    @Override
    public CompletionStage<Boolean> getBody() {
        return end;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        buffers.forEach(framer::accept);
    }

    @Override
    public void onError(Throwable failure) {
        end.complete(true);
    }

    @Override
    public void onComplete() {
        end.complete(true);
    }
}
