package dev.perigee.worker.session;

import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.MessageAssembler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One WebSocket: frames become messages, messages become frames, both as bytes, so that no text is
 * decoded twice. Jetty calls it, never twice at a time; what is written comes from the connection's
 * one writer. None of its methods waits.
 */
final class LinkSocket implements FrameHandler {
    private static final Logger log = LoggerFactory.getLogger(LinkSocket.class);
    private static final Duration GOODBYE = Duration.ofSeconds(5);

    /** Receiver of the socket's messages. */
    interface Listener {
        void opened(LinkSocket socket);

        /** A message, complete. Not to wait: the next is read when this returns. */
        void message(byte[] utf8);

        /** A ping was answered. Not to wait. */
        void answered();

        /** Nothing that arrives or is sent from now on counts; once, whatever the reason. */
        void closed();
    }

    private final Listener listener;
    private final Duration pingInterval;
    private final Duration pingTimeout;
    private final MessageAssembler assembler = new MessageAssembler(LinkFrame.MAX_BYTES);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile @Nullable CoreSession session;
    private volatile long lastHeard = System.nanoTime();

    /**
     * When the last ping was sent that was answered; before the first, when the connection opened.
     * Time that passes before the answer is read, as while this process is frozen, counts.
     */
    private volatile long answered = System.nanoTime();

    private volatile boolean closing;

    LinkSocket(Listener listener, Duration pingInterval, Duration pingTimeout) {
        this.listener = listener;
        this.pingInterval = pingInterval;
        this.pingTimeout = pingTimeout;
    }

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        session = opened;
        lastHeard = System.nanoTime();
        answered = lastHeard;
        listener.opened(this);
        Thread.ofVirtual().name("link-ping").start(() -> keepAlive(opened));
        callback.succeeded();
        opened.demand();
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        lastHeard = System.nanoTime();
        var open = session;
        if (open == null) {
            callback.succeeded();
            return;
        }
        try {
            switch (frame.getOpCode()) {
                case OpCode.TEXT, OpCode.CONTINUATION -> take(frame);
                case OpCode.PING ->
                        open.sendFrame(
                                new Frame(OpCode.PONG, copy(frame.getPayload())),
                                Callback.NOOP,
                                false);
                case OpCode.PONG -> answered(frame.getPayload());
                case OpCode.BINARY -> close(CloseStatus.BAD_DATA, "send text messages");
                default -> {}
            }
        } finally {
            callback.succeeded();
        }
        if (frame.getOpCode() != OpCode.CLOSE) {
            open.demand();
        }
    }

    private void take(Frame frame) {
        if (closing) {
            return;
        }
        try {
            byte[] message = assembler.add(frame.getPayload(), frame.isFin());
            if (message != null) {
                listener.message(message);
            }
        } catch (MessageAssembler.TooLargeException e) {
            close(
                    CloseStatus.MESSAGE_TOO_LARGE,
                    "a message has at most " + LinkFrame.MAX_BYTES + " bytes");
        }
    }

    /** A pong that answers none of our pings proves nothing. */
    private void answered(ByteBuffer payload) {
        if (payload.remaining() != Long.BYTES) {
            return;
        }
        long sent = payload.getLong(payload.position());
        if (sent - answered > 0 && sent - System.nanoTime() <= 0) {
            answered = sent;
            listener.answered();
        }
    }

    /** How much longer the other side holds what it has; not positive when that is over. */
    Duration holds() {
        return pingTimeout.minusNanos(System.nanoTime() - answered);
    }

    private static ByteBuffer copy(ByteBuffer payload) {
        return ByteBuffer.allocate(payload.remaining()).put(payload).flip();
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        log.atDebug().setCause(cause).log("Link connection failed");
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        ended.countDown();
        tellClosed();
        callback.succeeded();
    }

    private void tellClosed() {
        if (told.compareAndSet(false, true)) {
            // The writer may notice first, and holds locks.
            Thread.ofVirtual().name("link-closed").start(listener::closed);
        }
    }

    /** Writes messages together; the callback is called when the last is written. */
    void write(List<byte[]> messages, Callback written) {
        var open = session;
        if (open == null) {
            written.failed(new IOException("not open"));
            return;
        }
        int last = messages.size() - 1;
        for (int i = 0; i < last; i++) {
            open.sendFrame(text(messages.get(i)), Callback.NOOP, true);
        }
        open.sendFrame(text(messages.get(last)), written, false);
    }

    private static Frame text(byte[] message) {
        return new Frame(OpCode.TEXT, ByteBuffer.wrap(message));
    }

    /** The connection's two ends, null where they are not known. */
    Hello.@Nullable Ends ends() {
        var open = session;
        return open == null ? null : Hello.Ends.of(open.getRemoteAddress(), open.getLocalAddress());
    }

    /** Nothing more is to be said. */
    void goodbye() {
        close(CloseStatus.SHUTDOWN, "the worker is leaving");
    }

    /** Says goodbye; what arrives meanwhile is discarded, and the wait for the answer bounded. */
    void close(int code, String reason) {
        var open = session;
        if (open != null && !closing) {
            closing = true;
            open.close(code, reason, Callback.NOOP);
            Thread.ofVirtual().name("link-goodbye").start(() -> abortUnlessEnded(open));
        }
    }

    private void abortUnlessEnded(CoreSession open) {
        try {
            if (!ended.await(GOODBYE.toNanos(), TimeUnit.NANOSECONDS)) {
                open.abort();
            }
        } catch (InterruptedException e) {
            open.abort();
        }
    }

    private void keepAlive(CoreSession open) {
        try {
            while (!ended.await(untilNextLook(), TimeUnit.NANOSECONDS)) {
                long silence = System.nanoTime() - lastHeard;
                if (silence >= pingTimeout.toNanos()) {
                    log.atWarn()
                            .addKeyValue("silence_ms", TimeUnit.NANOSECONDS.toMillis(silence))
                            .log("Gateway does not answer pings; closing its connection");
                    giveUp();
                    return;
                }
                var now = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).flip();
                open.sendFrame(new Frame(OpCode.PING, now), Callback.NOOP, false);
            }
        } catch (InterruptedException e) {
            open.abort();
        }
    }

    /**
     * Detaches its sessions at once and sends a close frame with the reason: a connection that ends
     * without one, or is refused by a proxy, looks like the death of the worker.
     */
    private void giveUp() {
        close(CloseStatus.SHUTDOWN, "the gateway answers no pings");
        tellClosed();
    }

    /** The next ping, or the moment at which the silence becomes too long, if that is sooner. */
    private long untilNextLook() {
        long silence = System.nanoTime() - lastHeard;
        return Math.min(pingInterval.toNanos(), pingTimeout.toNanos() - silence);
    }
}
