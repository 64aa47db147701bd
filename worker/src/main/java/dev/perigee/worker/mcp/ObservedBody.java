package dev.perigee.worker.mcp;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes a response on to the transport, within bounds, and reports its end to the exchange. The
 * transport may handle messages on another thread and after the end of the response, so the end is
 * a last message in the stream itself, see {@link EndMark}: what came before it was handled before
 * it. The transport sees failures as ends: the exchange deals with them. One piece at a time is
 * asked for, and none while there is no {@link LineRoom room} for it.
 */
final class ObservedBody<T> implements HttpResponse.BodySubscriber<T>, Exchange.Body {
    private final Exchange exchange;
    private final HttpResponse.BodySubscriber<T> transport;
    private final MessageGauge gauge;
    private final @Nullable EventFramer cursor;
    private final byte @Nullable [] mark;
    private final ReentrantLock lock = new ReentrantLock();
    private long wanted;
    private boolean asked;
    private boolean paused;
    private Flow.@Nullable Subscription connection;
    private boolean markDue;
    private volatile boolean passedOn;
    private volatile boolean tornInEvent;

    /**
     * The body of a response.
     *
     * @param cursor reads the place in the stream, null where it is of no interest
     * @param mark goes to the transport after the last byte, null for a response without messages
     */
    ObservedBody(
            Exchange exchange,
            HttpResponse.BodySubscriber<T> transport,
            MessageGauge gauge,
            @Nullable EventFramer cursor,
            byte @Nullable [] mark) {
        this.exchange = exchange;
        this.transport = transport;
        this.gauge = gauge;
        this.cursor = cursor;
        this.mark = mark;
    }

    @Override
    public CompletionStage<T> getBody() {
        return transport.getBody();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        lock.lock();
        try {
            connection = subscription;
        } finally {
            lock.unlock();
        }
        exchange.reads(subscription);
        exchange.passesOn(this);
        transport.onSubscribe(
                new Flow.Subscription() {
                    @Override
                    public void request(long count) {
                        if (takesMark(count)) {
                            finish();
                        } else {
                            pull();
                        }
                    }

                    @Override
                    public void cancel() {
                        subscription.cancel();
                        exchange.leftByTransport();
                    }
                });
    }

    @Override
    public void pause() {
        lock.lock();
        try {
            paused = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void resume() {
        lock.lock();
        try {
            paused = false;
        } finally {
            lock.unlock();
        }
        var _ = Thread.ofVirtual().name("mcp-resume").start(this::pull);
    }

    private void pull() {
        Flow.Subscription asks;
        lock.lock();
        try {
            asks = connection;
            if (asks == null || asked || paused || wanted <= 0) {
                return;
            }
            asked = true;
        } finally {
            lock.unlock();
        }
        asks.request(1);
    }

    /** Counts what may be passed on; true when the mark was waiting for that. */
    private boolean takesMark(long count) {
        lock.lock();
        try {
            wanted = wanted + count < 0 ? Long.MAX_VALUE : wanted + count;
            boolean due = markDue;
            markDue = false;
            return due;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (exchange.isOver()) {
            return;
        }
        for (var buffer : buffers) {
            if (!gauge.accepts(buffer)) {
                exchange.end(new ExchangeEnd.TooLarge(gauge.maxBytes()));
                exchange.abandon();
                transport.onComplete();
                return;
            }
        }
        if (cursor != null) {
            buffers.forEach(buffer -> cursor.accept(buffer.duplicate()));
        }
        if (!exchange.keeps(gauge.bytes())) {
            exchange.abandon();
            transport.onComplete();
            return;
        }
        lock.lock();
        try {
            asked = false;
            wanted--;
            passedOn = true;
        } finally {
            lock.unlock();
        }
        transport.onNext(buffers);
        pull();
    }

    @Override
    public void onError(Throwable failure) {
        ends(new ExchangeEnd.Broken(failure));
    }

    @Override
    public void onComplete() {
        ends(new ExchangeEnd.Completed());
    }

    private void ends(ExchangeEnd how) {
        exchange.endsAtMark(how);
        tornInEvent =
                how instanceof ExchangeEnd.Broken && gauge.measuresEvents() && gauge.bytes() > 0;
        // Half a JSON body is no message; of an event stream, what came before counts.
        boolean half = how instanceof ExchangeEnd.Broken && !gauge.measuresEvents();
        if (mark == null || half || !passedOn) {
            exchange.end(how);
        }
        if (exchange.isOver()) {
            transport.onComplete();
            return;
        }
        lock.lock();
        try {
            markDue = wanted <= 0;
            if (markDue) {
                return;
            }
        } finally {
            lock.unlock();
        }
        finish();
    }

    private void finish() {
        if (mark != null) {
            var last = tornInEvent ? EndMark.joined(exchange.number()) : mark;
            transport.onNext(List.of(ByteBuffer.wrap(last)));
        }
        transport.onComplete();
    }
}
