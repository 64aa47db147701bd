package dev.perigee.gateway.link;

import dev.perigee.link.LinkSocket;
import dev.perigee.link.LinkWriter;
import dev.perigee.link.Liveness;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One generation of a link: an open connection, the requests that were sent on it and what comes
 * back. Frames are taken on the reader's thread, one at a time; any thread may send. Once closed it
 * stays closed, and nothing that arrives later has an effect.
 */
final class LinkConnection implements LinkSocket.Listener, LinkWriter.Transport {
    private static final Logger LOG = LoggerFactory.getLogger(LinkConnection.class);

    private static final int MOST_EARLY = 16;
    private static final int MOST_CONTROL_FRAMES = 20_000;

    /** Larger messages are copied. */
    private static final int MOST_IN_PLACE = 64 << 10;

    private final long generation;
    private final AtomicLong ids;
    private final NoticeHandler notices;
    private final LinkMeters meters;
    private final LinkSocket socket = new LinkSocket(this);
    private final LinkWriter writer;
    private final Liveness liveness;
    private final Map<Long, AnswerHandler> unanswered = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable String> closeReason = new AtomicReference<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Queue<Runnable> early = new ArrayDeque<>();

    /** Of the reader: the message that it reads. */
    private byte[] inPlace = {};

    private volatile @Nullable WorkerClock clock;
    private volatile boolean closedThere;
    private volatile int protocol = LinkVersions.FIRST;
    private boolean greeted;

    LinkConnection(
            long generation,
            AtomicLong ids,
            LinkOptions options,
            NoticeHandler notices,
            LinkMeters meters) {
        this.generation = generation;
        this.ids = ids;
        this.notices = notices;
        this.meters = meters;
        this.writer =
                new LinkWriter(
                        this,
                        new LinkWriter.Limits(
                                options.sendBufferBytes(), MOST_CONTROL_FRAMES, Long.MAX_VALUE));
        this.liveness = new Liveness(options.timing().deadAfter(), System.nanoTime());
    }

    long generation() {
        return generation;
    }

    /** Its WebSocket, to be opened. */
    LinkSocket socket() {
        return socket;
    }

    LinkWriter writer() {
        return writer;
    }

    boolean isClosed() {
        return closeReason.get() != null;
    }

    /** Why it closed; null while it is open. */
    @Nullable String closeReason() {
        return closeReason.get();
    }

    /** The worker's clock as it was read last; null of a worker that knows no leases. */
    @Nullable WorkerClock clock() {
        return clock;
    }

    /** The worker's clock was read. */
    void clock(@Nullable WorkerClock reading) {
        clock = reading;
    }

    /** Asks in the control lane; the handler hears the answer or the close. */
    void ask(String method, Object params, AnswerHandler handler) {
        var id = ids.incrementAndGet();
        expect(id, handler);
        control(new LinkFrame.Request(id, method, Json.raw(params)));
    }

    /** Tells in the control lane. */
    void tell(String method, Object params) {
        control(new LinkFrame.Notification(method, Json.raw(params)));
    }

    private void control(LinkFrame frame) {
        if (writer.control(frame.encode())) {
            writer.flush();
        } else {
            close("the worker does not read");
        }
    }

    /** Sends a session's call in the data lane. */
    void send(LinkCall call, byte[] frame, int reserved) {
        put(call, frame, reserved);
        writer.flush();
    }

    /** The same at the next {@link #flush}, or with whatever is sent before that. */
    void put(LinkCall call, byte[] frame, int reserved) {
        call.markSent();
        expect(call.id(), call);
        writer.data(frame, reserved);
    }

    /** The same without room reserved: encoded when its turn comes, so that it holds no frame. */
    void sendAgain(LinkCall call) {
        call.markSent();
        expect(call.id(), call);
        writer.data(() -> encoded(call));
    }

    private byte[] encoded(LinkCall call) {
        try {
            return call.encode();
        } catch (RuntimeException e) {
            close("a frame could not be made: " + e.getClass().getSimpleName());
            throw e;
        }
    }

    /** Sends what was put. */
    void flush() {
        writer.flush();
    }

    /** The answer of a call is not awaited any more. */
    void forget(long id) {
        unanswered.remove(id);
    }

    @Override
    public boolean messageInPlace(ByteBuffer utf8) {
        int length = utf8.remaining();
        if (length > MOST_IN_PLACE || isClosed()) {
            return false;
        }
        if (length > inPlace.length) {
            inPlace = new byte[Math.min(MOST_IN_PLACE, 2 * length)];
        }
        utf8.get(utf8.position(), inPlace, 0, length);
        try {
            var event = SessionNotice.InstanceEvent.readMessage(inPlace, length);
            if (event == null) {
                return false;
            }
            arrived(length);
            notices.event(generation, event, length);
        } catch (RuntimeException e) {
            notHandled(e);
        }
        return true;
    }

    private void arrived(int bytes) {
        meters.framesIn.increment();
        meters.bytesIn.increment(bytes);
    }

    @Override
    public void message(byte[] utf8) {
        if (isClosed()) {
            return;
        }
        arrived(utf8.length);
        try {
            var event = SessionNotice.InstanceEvent.readMessage(utf8);
            if (event != null) {
                notices.event(generation, event, utf8.length);
                return;
            }
            switch (LinkFrame.decode(utf8)) {
                case LinkFrame.Notification notification -> noticed(notification, utf8.length);
                case LinkFrame.Response(var id, var result) -> answered(id, result);
                case LinkFrame.Failure failure -> refused(failure);
                case LinkFrame.Request(var id, var method, var ignored) ->
                        control(
                                new LinkFrame.Failure(
                                        id,
                                        LinkError.METHOD_NOT_FOUND.code(),
                                        "a gateway answers no requests, not " + method));
            }
        } catch (RuntimeException e) {
            notHandled(e);
        }
    }

    private void notHandled(RuntimeException failure) {
        if (failure instanceof InvalidRecordException) {
            notUnderstood(failure.getMessage());
        } else {
            meters.protocolErrors.increment();
            LOG.atError().setCause(failure).log("Failed to handle a message of a worker");
        }
    }

    /** The version that both sides speak; the first one before the worker said so. */
    int protocol() {
        return protocol;
    }

    /** The worker chose this version, or is too old to say. */
    void speaks(@Nullable Integer chosen) {
        protocol = chosen == null ? LinkVersions.FIRST : chosen;
    }

    /** It is known now who the worker is: what it said of itself meanwhile counts. */
    void greeted() {
        synchronized (early) {
            greeted = true;
            early.forEach(Runnable::run);
            early.clear();
        }
    }

    /** A worker speaks as soon as it was greeted, which may be before its answer was understood. */
    private void onceGreeted(Runnable notice) {
        synchronized (early) {
            if (greeted) {
                notice.run();
            } else if (early.size() < MOST_EARLY) {
                early.add(notice);
            }
        }
    }

    @Override
    public void pong(@Nullable Long sentNanos) {
        long now = System.nanoTime();
        liveness.heard(now);
        if (sentNanos != null) {
            meters.roundTrip.record(Duration.ofNanos(now - sentNanos));
        }
    }

    @Override
    public void binary() {
        close("the worker sends binary messages");
    }

    @Override
    public void tooLarge() {
        close("the worker sent a message of more than " + LinkFrame.MAX_BYTES + " bytes");
    }

    @Override
    public void closing() {
        close("the worker closes the connection");
    }

    @Override
    public void closed(int status) {
        close("closed with status " + status);
    }

    @Override
    public void failed(Throwable cause) {
        failed(cause, cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }

    @Override
    public void broken(Throwable cause) {
        failed(cause, "write failed: " + cause.getClass().getSimpleName());
    }

    /** TLS and protocol errors come from a live worker; other I/O errors may mean that it died. */
    private void failed(Throwable cause, String reason) {
        if (cause instanceof IOException && !(cause instanceof SSLException)) {
            closedThere(reason);
        } else {
            close(reason);
        }
    }

    /** Where the worker listens, if nothing stands between; null where something may. */
    @Nullable InetSocketAddress direct(Hello.Result hello) {
        var ends = Hello.Ends.of(socket.here(), socket.there());
        return ends != null
                        && ends.equals(hello.ends())
                        && socket.there() instanceof InetSocketAddress there
                ? there
                : null;
    }

    /** Whether it is open, and a pong came within this time or it is not older. */
    boolean isHeard(Duration within) {
        return !isClosed() && liveness.age(System.nanoTime()) <= within.toNanos();
    }

    /** Pings until the connection is closed, and closes it when no pong comes. */
    void keepAlive(Duration interval) throws InterruptedException {
        if (socket.keepAlive(interval, liveness)) {
            close("the worker answers no pings");
        }
    }

    /** Waits for the close; false when it did not come in time. */
    boolean awaitClosed(Duration atMost) throws InterruptedException {
        return closed.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    void awaitClosed() throws InterruptedException {
        closed.await();
    }

    /**
     * Whether the other side, or its host, ended it without a close frame; known once it is closed.
     */
    boolean wasClosedThere() {
        return closedThere;
    }

    /**
     * The transport lost the worker. After a long silence that does not mean its death: a live one
     * may have closed the connection, as when this process was frozen.
     */
    void closedThere(String reason) {
        close(reason, !liveness.isDead(System.nanoTime()));
    }

    /** Closes; the first reason counts. Any thread. */
    void close(String reason) {
        close(reason, false);
    }

    private void close(String reason, boolean there) {
        if (!closeReason.compareAndSet(null, reason)) {
            return;
        }
        closedThere = there;
        writer.close();
        socket.abort();
        for (var id : unanswered.keySet()) {
            disconnected(id);
        }
        closed.countDown();
    }

    private void expect(long id, AnswerHandler handler) {
        unanswered.put(id, handler);
        if (isClosed()) {
            disconnected(id);
        }
    }

    private void disconnected(long id) {
        var handler = unanswered.remove(id);
        if (handler != null) {
            handler.disconnected();
        }
    }

    @Override
    public void write(List<byte[]> frames, int bytes, Callback written) {
        meters.framesOut.increment(frames.size());
        meters.bytesOut.increment(bytes);
        socket.write(frames, written);
    }

    private void answered(long id, RawJson result) {
        var handler = unanswered.remove(id);
        if (handler != null) {
            handler.result(result);
        }
    }

    private void refused(LinkFrame.Failure failure) {
        var id = failure.id();
        var handler = id == null ? null : unanswered.remove(id);
        if (handler != null) {
            handler.failure(generation, failure.code(), failure.message());
        } else if (id == null) {
            notUnderstood("the worker could not read a message: " + failure.message());
        }
    }

    private void noticed(LinkFrame.Notification notification, int frameBytes) {
        var params = notification.params();
        switch (notification.method()) {
            case LinkMethod.EVENT ->
                    notices.event(generation, SessionNotice.InstanceEvent.read(params), frameBytes);
            case LinkMethod.FENCED -> notices.fenced(Json.read(params, SessionNotice.Fenced.class));
            case LinkMethod.ENDED -> notices.ended(Json.read(params, SessionNotice.Ended.class));
            case LinkMethod.DRAINING -> {
                var draining = Json.read(params, SessionNotice.Draining.class);
                onceGreeted(() -> notices.draining(draining));
            }
            case LinkMethod.HEARTBEAT -> onceGreeted(() -> notices.heartbeat(params));
            default -> notUnderstood("unknown method");
        }
    }

    private void notUnderstood(@Nullable String why) {
        meters.protocolErrors.increment();
        LOG.atWarn().addKeyValue("reason", why).log("Malformed message of a worker");
    }
}
