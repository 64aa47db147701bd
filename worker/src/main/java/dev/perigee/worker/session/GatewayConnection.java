package dev.perigee.worker.session;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
final class GatewayConnection implements LinkConnections.Connected, LinkSocket.Listener {
    private static final Logger log = LoggerFactory.getLogger(GatewayConnection.class);
    private static final Duration STAY = Duration.ofSeconds(5);

    /** Longer than most calls take, and nothing to a gateway. */
    private static final Duration SOON = Duration.ofMillis(5);

    private static final long CONTROL_BYTES = 4L * LinkFrame.MAX_BYTES;

    private final Handler handler;
    private final LinkConnections connections;
    private final Scheduler scheduler;
    private final OutboundQueue outbound;
    private final Semaphore orders;
    private final AtomicBoolean writesSoon = new AtomicBoolean();
    private volatile @Nullable LinkSocket socket;
    private volatile @Nullable LinkWriter writer;
    private volatile @Nullable String gatewayId;
    private volatile int protocol = LinkVersions.SPOKEN.least();
    private volatile boolean open = true;
    private volatile @Nullable Stay stay;

    /** Receiver of the messages, called on the reader, in their order; must not wait. */
    interface Handler {
        void handle(GatewayConnection connection, byte[] message);

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
        this.outbound = new OutboundQueue(options.outboundBytes(), CONTROL_BYTES);
        this.orders = new Semaphore(options.maxRequests());
    }

    @Override
    public void opened(LinkSocket opened) {
        socket = opened;
        writer = new LinkWriter(opened, outbound, this::broken);
        connections.opened(this);
    }

    @Override
    public void message(byte[] utf8) {
        handler.handle(this, utf8);
    }

    @Override
    public void answered() {
        handler.answered(this);
    }

    @Override
    public Duration holds() {
        var current = socket;
        return current == null ? Duration.ZERO : current.holds();
    }

    @Override
    public void closed() {
        open = false;
        outbound.close();
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
        var opened = socket;
        return opened == null ? null : opened.ends();
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
    public void respond(long requestId, Object result) {
        control(new LinkFrame.Response(requestId, Json.raw(result)).encode());
    }

    /**
     * Says that an order was accepted, with something else or a few milliseconds later: that is not
     * waited for, and would otherwise cost both sides a message of its own.
     */
    void acceptSoon(long requestId) {
        enqueue(new LinkFrame.Response(requestId, ToolOrder.Accepted.PLAINLY).encode());
        if (open && writesSoon.compareAndSet(false, true)) {
            scheduler.schedule(
                    () -> {
                        writesSoon.set(false);
                        write();
                    },
                    SOON.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
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
        write();
    }

    private void enqueue(byte[] message) {
        if (!outbound.addControl(message)) {
            close(CloseStatus.POLICY_VIOLATION, "answers are not read");
        }
    }

    @Override
    public boolean sendEvent(byte[] frame) throws InterruptedException {
        if (!outbound.hasRoom(frame.length)) {
            write();
        }
        return outbound.addEvent(frame);
    }

    @Override
    public void flush() {
        write();
    }

    /** A place for an order that is under way; false when there are too many. */
    boolean beginOrder() {
        return orders.tryAcquire();
    }

    void endOrder() {
        orders.release();
    }

    void close(int code, String reason) {
        var current = socket;
        if (current != null) {
            current.close(code, reason);
        }
    }

    @Override
    public void finish() {
        outbound.finish();
        write();
    }

    private void write() {
        var current = writer;
        if (current != null) {
            current.iterate();
        }
    }

    private void broken(Throwable cause) {
        log.atDebug().addKeyValue("gateway_id", gatewayId).setCause(cause).log("Link cut");
        outbound.close();
        close(CloseStatus.SERVER_ERROR, "write failed");
    }
}
