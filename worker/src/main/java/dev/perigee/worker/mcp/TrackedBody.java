package dev.perigee.worker.mcp;

import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/**
 * A request's body that knows whether it was asked for, which happens on a connection only: as long
 * as it was not, the server cannot have received the request.
 */
final class TrackedBody implements HttpRequest.BodyPublisher {
    private final Exchange exchange;
    private final HttpRequest.BodyPublisher body;

    TrackedBody(Exchange exchange, byte[] bytes) {
        this.exchange = exchange;
        this.body = HttpRequest.BodyPublishers.ofByteArray(bytes);
    }

    Exchange exchange() {
        return exchange;
    }

    @Override
    public long contentLength() {
        return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> connection) {
        body.subscribe(
                new Flow.Subscriber<ByteBuffer>() {
                    @Override
                    public void onSubscribe(Flow.Subscription subscription) {
                        connection.onSubscribe(subscription);
                    }

                    @Override
                    public void onNext(ByteBuffer bytes) {
                        exchange.handOver();
                        connection.onNext(bytes);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        connection.onError(failure);
                    }

                    @Override
                    public void onComplete() {
                        connection.onComplete();
                    }
                });
    }
}
