package dev.perigee.worker.mcp;

import java.net.http.HttpRequest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request of a session, as seen below the SDK's transport: whether its body was handed
 * over, what came back, and how it ended, which it does once. Safe for use by any thread.
 */
final class Exchange implements LineRoom.Reader {
    private final long number;
    private final Kind kind;
    private final Listener listener;
    private final LineRoom.Line unfinished;
    private final AtomicReference<@Nullable ExchangeEnd> end = new AtomicReference<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile ExchangeEnd atMark = new ExchangeEnd.Completed();
    private volatile boolean handedOver;
    private volatile boolean responded;
    private volatile @Nullable String sessionId;
    private volatile @Nullable HttpTarget carried;
    private volatile @Nullable EventCursor cursor;
    private volatile long lingersSince = Long.MAX_VALUE;
    private volatile @Nullable Future<?> response;
    private volatile Flow.@Nullable Subscription body;
    private volatile @Nullable Body observed;

    /** Expected kind of response. */
    enum Kind {
        /** The answer to a request. */
        ANSWER,
        /** That a message was taken; its answer, if any, comes elsewhere. */
        RECEIPT,
        /** Events, as long as the session lasts. */
        STREAM,
        /** Events by themselves, which come and go: no answer is among them. */
        NOTIFICATIONS,
        /** Events that go on where the stream of an answer ended. */
        RESUMED
    }

    /** Called with the end, on the thread that caused it; must not block. */
    interface Listener {
        void ended(Exchange exchange, ExchangeEnd end);
    }

    /** Body of the response, while it is passed on. Any thread. */
    interface Body {
        /** No more is asked for; what was asked for already may still come. */
        void pause();

        /** What comes is taken on another thread. */
        void resume();
    }

    Exchange(long number, Kind kind, LineRoom room, Listener listener) {
        this.number = number;
        this.kind = kind;
        this.listener = listener;
        this.unfinished = room.open(this);
    }

    /** Unique in its session. */
    long number() {
        return number;
    }

    Kind kind() {
        return kind;
    }

    boolean handedOver() {
        return handedOver;
    }

    boolean responded() {
        return responded;
    }

    /** Whether it has had a connection; of a request without body only the response tells. */
    boolean isConnected() {
        return handedOver || responded;
    }

    /** The session that the request named, null for none. */
    @Nullable String sessionId() {
        return sessionId;
    }

    /** Its request goes to this target, with its credentials. */
    void carries(HttpTarget target) {
        carried = target;
    }

    /** Says who gave the credentials of its request that they were refused, where they were. */
    void tellRefusal(ExchangeEnd how, TargetSource credentials) {
        var given = carried;
        if (given != null
                && how instanceof ExchangeEnd.Refused refused
                && refused.wantsAuthorization()) {
            credentials.refused(given, refused.status(), refused.challenge());
        }
    }

    /** What its request carried, null where that was not made. */
    @Nullable HttpTarget carried() {
        return carried;
    }

    /** The answer may come in several streams: where the first ends is of interest. */
    void mayBeResumed() {
        cursor = new EventCursor();
    }

    /** Where the stream of the answer has come to, null where that is of no interest. */
    @Nullable EventCursor cursor() {
        return cursor;
    }

    boolean isOver() {
        return end.get() != null;
    }

    /** What was asked for came; the rest of the response is of no interest. */
    void linger(long nowNanos) {
        lingersSince = nowNanos;
    }

    boolean lingersLongerThan(long nanos, long nowNanos) {
        return lingersSince != Long.MAX_VALUE && nowNanos - lingersSince > nanos;
    }

    /** The first end counts. */
    void end(ExchangeEnd how) {
        if (end.compareAndSet(null, how)) {
            unfinished.close();
            listener.ended(this, how);
            over.countDown();
        }
    }

    /** What this end means for the request, null when it was cancelled. */
    @Nullable McpException failure(ExchangeEnd how) {
        return HttpFailures.of(how, kind == Kind.STREAM, handedOver, responded);
    }

    /** How it will have ended when all messages of the response were handled. */
    void endsAtMark(ExchangeEnd how) {
        atMark = how;
    }

    /** Whether the response broke off: what is before its mark without an end is no message. */
    boolean isTorn() {
        return atMark instanceof ExchangeEnd.Broken;
    }

    /** All messages of the response were handled. */
    void marked() {
        end(atMark);
    }

    /** The transport reads no further: all it wants of a receipt, and else it gave up. */
    void leftByTransport() {
        end(kind == Kind.RECEIPT ? new ExchangeEnd.Completed() : new ExchangeEnd.NotUnderstood());
    }

    /** Waits for the end; null when there is none in time. */
    @Nullable ExchangeEnd awaitEnd(long nanos) throws InterruptedException {
        return over.await(nanos, TimeUnit.NANOSECONDS) ? end.get() : null;
    }

    /** Ends the exchange and its connection, unless it has ended. */
    void abandon() {
        end(new ExchangeEnd.Abandoned());
        var pending = response;
        if (pending != null) {
            pending.cancel(true);
        }
        var stream = body;
        if (stream != null) {
            stream.cancel();
        }
    }

    /**
     * So much of the response is kept that is no whole message.
     *
     * @return false when there is no room for it: the exchange is over
     */
    boolean keeps(long bytes) {
        if (unfinished.keeps(bytes)) {
            return true;
        }
        end(new ExchangeEnd.NoRoom());
        return false;
    }

    /** The response's body, as soon as there is one. */
    void passesOn(Body passed) {
        observed = passed;
    }

    @Override
    public boolean pause() {
        var passing = observed;
        if (passing == null) {
            return false;
        }
        passing.pause();
        return true;
    }

    @Override
    public void resume() {
        var passing = observed;
        if (passing != null) {
            passing.resume();
        }
    }

    @Override
    public void giveUp(BooleanSupplier due) {
        if (due.getAsBoolean()) {
            end(new ExchangeEnd.NoRoom());
            abandon();
        }
    }

    void handOver() {
        handedOver = true;
    }

    /** The request is about to go out; its response may come before it {@link #began}. */
    void begins(HttpRequest request) {
        sessionId = request.headers().firstValue("mcp-session-id").orElse(null);
    }

    /** The server sent the request elsewhere without processing it. */
    void movesOn() {
        handedOver = false;
    }

    /** The request went out. */
    void began(Future<?> pending) {
        response = pending;
        if (isOver()) {
            pending.cancel(true);
        }
    }

    /** The head of the response came. */
    void responds() {
        responded = true;
    }

    /** The body is read with this. */
    void reads(Flow.Subscription subscription) {
        body = subscription;
        if (isOver()) {
            subscription.cancel();
        }
    }
}
