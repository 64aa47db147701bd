package dev.perigee.link;

import dev.perigee.protocol.link.LinkFrame;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket: frames become messages, messages become frames, both as bytes, so that no text is
 * decoded twice. Jetty calls it, never twice at a time; what is written comes from the connection's
 * one {@link LinkWriter}. None of its methods waits, except {@link #keepAlive}.
 */
public final class LinkSocket implements FrameHandler {
    private static final Duration GOODBYE = Duration.ofSeconds(5);

    /** Of a connection, each way: what came together is read and written together. */
    private static final int BUFFER_BYTES = 32 << 10;

    /** Callbacks on Jetty's reading thread; must not block, since the next frame is read after. */
    public interface Listener {
        /** The connection is open, and nothing was read from it yet. */
        default void opened() {}

        /** A frame of any kind arrived; its own callback follows. */
        default void heard() {}

        /**
         * A message of one frame, in the read buffer, of which nothing may be kept.
         *
         * @param utf8 its position stays where it is
         * @return whether it is dealt with; else it comes as {@link #message}
         */
        default boolean messageInPlace(ByteBuffer utf8) {
            return false;
        }

        /** A message, complete. */
        void message(byte[] utf8);

        /**
         * A pong.
         *
         * @param sentNanos when the ping was sent which it answers, by this JVM's clock as far as
         *     the other side is honest; null when its payload is not that of a ping
         */
        void pong(@Nullable Long sentNanos);

        /** A message that is no text arrived. */
        void binary();

        /** A message of more than {@link LinkFrame#MAX_BYTES} arrived. */
        void tooLarge();

        /** The other side closes the connection. */
        default void closing() {}

        /** Reading or the transport failed; {@link #closed} follows. */
        void failed(Throwable cause);

        /** The connection is over. */
        void closed(int status);
    }

    private final Listener listener;
    private final MessageAssembler assembler = new MessageAssembler(LinkFrame.MAX_BYTES);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable CoreSession session;
    private volatile boolean closing;
    private volatile boolean aborted;

    public LinkSocket(Listener listener) {
        this.listener = listener;
    }

    /** Sets what both sides need; no idle timeout, since pings find a dead peer sooner. */
    public static void configure(Configuration configuration) {
        configuration.setIdleTimeout(Duration.ZERO);
        configuration.setMaxFrameSize(LinkFrame.MAX_BYTES);
        configuration.setInputBufferSize(BUFFER_BYTES);
        configuration.setOutputBufferSize(BUFFER_BYTES);
    }

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        session = opened;
        listener.opened();
        callback.succeeded();
        if (aborted) {
            opened.abort();
        } else {
            opened.demand();
        }
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        listener.heard();
        try {
            switch (frame.getOpCode()) {
                case OpCode.TEXT, OpCode.CONTINUATION -> take(frame);
                case OpCode.PING -> send(new Frame(OpCode.PONG, copy(frame.getPayload())));
                case OpCode.PONG -> listener.pong(sentNanos(frame.getPayload()));
                case OpCode.BINARY -> listener.binary();
                case OpCode.CLOSE -> listener.closing();
                default -> {}
            }
        } finally {
            callback.succeeded();
        }
        var open = session;
        if (open != null && frame.getOpCode() != OpCode.CLOSE) {
            open.demand();
        }
    }

    private void take(Frame frame) {
        if (closing) {
            return;
        }
        boolean whole = frame.getOpCode() == OpCode.TEXT && frame.isFin();
        if (whole && listener.messageInPlace(frame.getPayload())) {
            return;
        }
        try {
            var message = assembler.add(frame.getPayload(), frame.isFin());
            if (message != null) {
                listener.message(message);
            }
        } catch (MessageAssembler.TooLargeException e) {
            listener.tooLarge();
        }
    }

    private static ByteBuffer copy(ByteBuffer payload) {
        return ByteBuffer.allocate(payload.remaining()).put(payload).flip();
    }

    private static @Nullable Long sentNanos(ByteBuffer payload) {
        return payload.remaining() == Long.BYTES ? payload.getLong() : null;
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        listener.failed(cause);
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        ended.countDown();
        listener.closed(status.getCode());
        callback.succeeded();
    }

    /** Writes messages together; the callback is called when the last is written. */
    public void write(List<byte[]> messages, Callback written) {
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

    private void send(Frame frame) {
        var open = session;
        if (open != null) {
            open.sendFrame(frame, Callback.NOOP, false);
        }
    }

    /**
     * Pings at each interval, and waits until the connection is over or silent for too long.
     *
     * @return whether it is silent
     */
    public boolean keepAlive(Duration interval, Liveness liveness) throws InterruptedException {
        while (!ended.await(untilNextLook(interval, liveness), TimeUnit.NANOSECONDS)) {
            if (liveness.isDead(System.nanoTime())) {
                return true;
            }
            var now = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).flip();
            send(new Frame(OpCode.PING, now));
        }
        return false;
    }

    /** Time to the next ping, or to the end of the liveness timeout if that is sooner. */
    private static long untilNextLook(Duration interval, Liveness liveness) {
        return Math.min(interval.toNanos(), liveness.nanosLeft(System.nanoTime()));
    }

    /** This side's address; null where it is not known. */
    public @Nullable SocketAddress here() {
        var open = session;
        return open == null ? null : open.getLocalAddress();
    }

    /** The other side's address; null where it is not known. */
    public @Nullable SocketAddress there() {
        var open = session;
        return open == null ? null : open.getRemoteAddress();
    }

    /** Aborts the connection without a close frame, now or when it opens. */
    public void abort() {
        closing = true;
        aborted = true;
        ended.countDown();
        var open = session;
        if (open != null) {
            open.abort();
        }
    }

    /** Sends a close frame; discards what arrives, and aborts when no close comes back in 5 s. */
    public void close(int code, String reason) {
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
}
