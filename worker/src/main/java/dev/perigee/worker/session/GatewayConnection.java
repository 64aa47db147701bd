package dev.perigee.worker.session;

import dev.perigee.link.LinkSocket;
import dev.perigee.link.LinkWriter;
import dev.perigee.link.Liveness;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway's connection: one reader, which is Jetty's, and one writer at a time, the thread that
 * has something to send. What it carries is the {@link Handler}'s; who is connected the {@link
 * LinkConnections}'.
 */
final class GatewayConnection
        implements LinkConnections.Connected, LinkSocket.Listener, LinkWriter.Transport {
    private static final Logger log = LoggerFactory.getLogger(GatewayConnection.class);
    private static final Duration STAY = Duration.ofSeconds(5);

    /** Longer than most calls take, and nothing to a gateway. */
    private static final Duration SOON = Duration.ofMillis(5);

    /** Larger messages are copied. */
    private static final int MOST_IN_PLACE = 64 << 10;

    private static final long CONTROL_BYTES = 4L * LinkFrame.MAX_BYTES;

    private final Handler handler;
    private final LinkConnections connections;
    private final Scheduler scheduler;
    private final Duration pingInterval;
    private final Duration pingTimeout;
    private final Liveness liveness;
    private final LinkSocket socket = new LinkSocket(this);
    private final LinkWriter writer;
    private final Semaphore orders;
    private final DeferredAcceptances acceptances;
    private final AtomicBoolean writesSoon = new AtomicBoolean();
    private final AtomicBoolean lost = new AtomicBoolean();

    /**
     * When the last ping was sent that was answered; before the first, when the connection opened.
     * Time that passes before the answer is read, as while this process is frozen, counts.
     */
    private volatile long answered = System.nanoTime();

    /** Of the reader: the message that it reads. */
    private byte[] inPlace = {};

    private volatile @Nullable String gatewayId;
    private volatile int protocol = LinkVersions.SPOKEN.least();
    private volatile boolean open = true;
    private volatile @Nullable Stay stay;

    /** Receiver of the messages, called on the reader, in their order; must not wait. */
    interface Handler {
        void handle(GatewayConnection connection, byte[] message);

        /**
         * A message that needs no copy, of which nothing may be kept.
         *
         * @param length of the message, at the beginning of the buffer
         * @return false for one that is to be handled as {@link #handle} does
         */
        boolean handleInPlace(GatewayConnection connection, byte[] buffer, int length);

        /** A ping was answered. */
        void answered(LinkPeer peer);

        /** Nothing comes any more; on any thread. */
        void closed(LinkPeer peer);
    }

    /** Gateway's answer about its partitions while the worker drains. */
    private record Stay(String reason, long atNanos) {}

    /**
     * @param scheduler looks after answers that nothing else took along
     */
    GatewayConnection(
            LinkServerOptions options,
            Handler handler,
            LinkConnections connections,
            Scheduler scheduler) {
        this.handler = handler;
        this.connections = connections;
        this.scheduler = scheduler;
        this.pingInterval = options.pingInterval();
        this.pingTimeout = options.pingTimeout();
        this.liveness = new Liveness(pingTimeout, answered);
        this.writer =
                new LinkWriter(
                        this,
                        new LinkWriter.Limits(
                                options.outboundBytes(), Integer.MAX_VALUE, CONTROL_BYTES));
        this.orders = new Semaphore(options.maxRequests());
        this.acceptances = new DeferredAcceptances(options.maxRequests());
    }

    /** Its WebSocket, to be opened. */
    LinkSocket socket() {
        return socket;
    }

    @Override
    public void opened() {
        answered = System.nanoTime();
        liveness.heard(answered);
        connections.opened(this);
        Thread.ofVirtual().name("link-ping").start(this::keepAlive);
    }

    @Override
    public void heard() {
        liveness.heard(System.nanoTime());
    }

    @Override
    public boolean messageInPlace(ByteBuffer utf8) {
        int length = utf8.remaining();
        if (length > MOST_IN_PLACE) {
            return false;
        }
        if (length > inPlace.length) {
            inPlace = new byte[Math.min(MOST_IN_PLACE, 2 * length)];
        }
        utf8.get(utf8.position(), inPlace, 0, length);
        return handler.handleInPlace(this, inPlace, length);
    }

    @Override
    public void message(byte[] utf8) {
        handler.handle(this, utf8);
    }

    /** A pong that answers none of our pings proves nothing. */
    @Override
    public void pong(@Nullable Long sentNanos) {
        if (sentNanos != null && sentNanos - answered > 0 && sentNanos - System.nanoTime() <= 0) {
            answered = sentNanos;
            handler.answered(this);
        }
    }

    @Override
    public Duration holds() {
        return pingTimeout.minusNanos(System.nanoTime() - answered);
    }

    private void keepAlive() {
        try {
            if (socket.keepAlive(pingInterval, liveness)) {
                long silence = liveness.age(System.nanoTime());
                log.atWarn()
                        .addKeyValue("silence_ms", TimeUnit.NANOSECONDS.toMillis(silence))
                        .log("Gateway does not answer pings; closing its connection");
                giveUp();
            }
        } catch (InterruptedException e) {
            socket.abort();
        }
    }

    /**
     * Detaches its sessions at once and sends a close frame with the reason: a connection that ends
     * without one, or is refused by a proxy, looks like the death of the worker.
     */
    private void giveUp() {
        close(CloseStatus.SHUTDOWN, "the gateway answers no pings");
        lose();
    }

    @Override
    public void binary() {
        close(CloseStatus.BAD_DATA, "send text messages");
    }

    @Override
    public void tooLarge() {
        close(
                CloseStatus.MESSAGE_TOO_LARGE,
                "a message has at most " + LinkFrame.MAX_BYTES + " bytes");
    }

    @Override
    public void failed(Throwable cause) {
        log.atDebug().setCause(cause).log("Link connection failed");
    }

    @Override
    public void closed(int status) {
        lose();
    }

    /** Ends the connection for its sessions, once; later frames are ignored. */
    private void lose() {
        if (lost.compareAndSet(false, true)) {
            // The writer may notice first, and holds locks.
            Thread.ofVirtual().name("link-closed").start(this::detach);
        }
    }

    private void detach() {
        open = false;
        writer.close();
        var _ = acceptances.close();
        connections.closed(this);
        handler.closed(this);
    }

    @Override
    public String gatewayId() {
        var id = gatewayId;
        if (id == null) {
            throw new IllegalStateException("no hello yet");
        }
        return id;
    }

    /** The connection's two ends, null where they are not known. */
    Hello.@Nullable Ends ends() {
        return Hello.Ends.of(socket.there(), socket.here());
    }

    boolean hasSaidHello() {
        return gatewayId != null;
    }

    @Override
    public int protocol() {
        return protocol;
    }

    /** The gateway said who it is, and which versions of the link it speaks. */
    void greeted(String id, int common) {
        protocol = common;
        gatewayId = id;
        connections.greeted(this);
    }

    /** The gateway cannot move its partitions; it says so again and again while that is so. */
    void stays(String reason, long nowNanos) {
        stay = new Stay(reason, nowNanos);
    }

    @Override
    public @Nullable String stays() {
        var said = stay;
        return said != null && System.nanoTime() - said.atNanos() < STAY.toNanos()
                ? said.reason()
                : null;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void attached(long requestId, Object result) {
        if (!writer.answerBehindData(
                new LinkFrame.Response(requestId, Json.raw(result)).encode())) {
            notRead();
        }
        flush();
    }

    /** Answers a request; dropped when the connection is closed. Does not wait. */
    void respond(long requestId, Object result) {
        control(new LinkFrame.Response(requestId, Json.raw(result)).encode());
    }

    /**
     * Says that the order of a request was accepted, with something else or a few milliseconds
     * later: that is not waited for, and would otherwise cost both sides a write of its own. To a
     * gateway that takes the result for it, it is said only where none goes out meanwhile.
     */
    void acceptSoon(long orderId, RecordOrigin request) {
        if (protocol < LinkVersions.IMPLIED_ACCEPTANCES || !acceptances.defer(request, orderId)) {
            accept(orderId);
        }
        writeSoon();
    }

    private void accept(long orderId) {
        enqueue(new LinkFrame.Response(orderId, ToolOrder.Accepted.PLAINLY).encode());
    }

    private void writeSoon() {
        if (open && writesSoon.compareAndSet(false, true)) {
            scheduler.schedule(this::writeAged, SOON.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void writeAged() {
        writesSoon.set(false);
        acceptances.takeAged().forEach(this::accept);
        flush();
        if (!acceptances.isEmpty()) {
            writeSoon();
        }
    }

    @Override
    public void resultTaken(RecordOrigin request) {
        acceptances.answered(request);
    }

    /** Refuses a request, or what could not be read as one. */
    void refuse(@Nullable Long requestId, LinkError error, String message) {
        control(new LinkFrame.Failure(requestId, error.code(), message).encode());
    }

    @Override
    public void tell(String method, Object params) {
        control(new LinkFrame.Notification(method, Json.raw(params)).encode());
    }

    private void control(byte[] message) {
        enqueue(message);
        flush();
    }

    private void enqueue(byte[] message) {
        if (!writer.control(message)) {
            notRead();
        }
    }

    private void notRead() {
        close(CloseStatus.POLICY_VIOLATION, "answers are not read");
    }

    @Override
    public int awaitRoom(int bytes) throws InterruptedException {
        int reserved = writer.reserve(bytes);
        if (reserved >= 0) {
            return reserved;
        }
        flush();
        return writer.awaitRoom(bytes);
    }

    @Override
    public void returnRoom(int reserved) {
        writer.release(reserved);
    }

    @Override
    public boolean sendEvent(byte[] frame, int reserved) {
        return writer.data(frame, reserved);
    }

    @Override
    public void flush() {
        writer.flush();
    }

    /** A place for an order that is under way; false when there are too many. */
    boolean beginOrder() {
        return orders.tryAcquire();
    }

    void endOrder() {
        orders.release();
    }

    void close(int code, String reason) {
        socket.close(code, reason);
    }

    @Override
    public void finish() {
        acceptances.close().forEach(this::accept);
        writer.finish();
    }

    @Override
    public void write(List<byte[]> messages, int bytes, Callback written) {
        socket.write(messages, written);
    }

    @Override
    public void broken(Throwable cause) {
        log.atDebug().addKeyValue("gateway_id", gatewayId).setCause(cause).log("Link cut");
        close(CloseStatus.SERVER_ERROR, "write failed");
    }

    @Override
    public void finished() {
        close(CloseStatus.SHUTDOWN, "the worker is leaving");
    }
}
