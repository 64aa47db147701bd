package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.MessageAssembler;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;

/**
 * A connection's WebSocket. Frames become messages, messages become frames, both as bytes, so that
 * no text is decoded twice. Jetty calls the handler's methods on its own threads, one at a time.
 */
final class JettyWire implements LinkConnection.Wire, FrameHandler {
    private final MessageAssembler assembler = new MessageAssembler(LinkFrame.MAX_BYTES);
    private volatile @Nullable LinkConnection connection;
    private volatile @Nullable CoreSession session;

    JettyWire() {}

    void bind(LinkConnection owner) {
        connection = owner;
    }

    /** Where the worker is; null while the connection is not open. */
    @Nullable SocketAddress worker() {
        var open = session;
        return open == null ? null : open.getRemoteAddress();
    }

    /** The connection's two ends as this side sees them, null where they are not known. */
    Hello.@Nullable Ends ends() {
        var open = session;
        return open == null ? null : Hello.Ends.of(open.getLocalAddress(), open.getRemoteAddress());
    }

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        session = opened;
        callback.succeeded();
        var owner = connection;
        if (owner == null || owner.isClosed()) {
            opened.abort();
        } else {
            opened.demand();
        }
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        var open = session;
        var owner = connection;
        if (open == null || owner == null) {
            callback.succeeded();
            return;
        }
        try {
            switch (frame.getOpCode()) {
                case OpCode.TEXT, OpCode.CONTINUATION -> take(owner, frame);
                case OpCode.PING -> answer(open, frame.getPayload());
                case OpCode.PONG -> pong(owner, frame.getPayload());
                case OpCode.BINARY -> lost("the worker sends binary messages");
                case OpCode.CLOSE -> lost("the worker closes the connection");
                default -> {}
            }
        } finally {
            callback.succeeded();
        }
        if (frame.getOpCode() != OpCode.CLOSE) {
            open.demand();
        }
    }

    private void take(LinkConnection owner, Frame frame) {
        if (owner.isClosed()) {
            return;
        }
        try {
            var message = assembler.add(frame.getPayload(), frame.isFin());
            if (message != null) {
                owner.received(message);
            }
        } catch (MessageAssembler.TooLargeException e) {
            lost("the worker sent a message of more than " + LinkFrame.MAX_BYTES + " bytes");
        }
    }

    private static void answer(CoreSession open, ByteBuffer payload) {
        var copy = ByteBuffer.allocate(payload.remaining()).put(payload).flip();
        open.sendFrame(new Frame(OpCode.PONG, copy), Callback.NOOP, false);
    }

    private static void pong(LinkConnection owner, ByteBuffer payload) {
        owner.pong(
                payload.remaining() == Long.BYTES
                        ? Duration.ofNanos(System.nanoTime() - payload.getLong())
                        : null);
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        failed(cause, cause.getClass().getSimpleName() + ": " + cause.getMessage());
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        lost("closed with status " + status.getCode());
        callback.succeeded();
    }

    @Override
    public void send(List<byte[]> messages, Runnable done) {
        var open = session;
        if (open == null) {
            done.run();
            return;
        }
        int last = messages.size() - 1;
        for (int i = 0; i < last; i++) {
            open.sendFrame(text(messages.get(i)), Callback.NOOP, true);
        }
        open.sendFrame(
                text(messages.get(last)),
                Callback.from(
                        done,
                        failure -> {
                            done.run();
                            failed(failure, "write failed: " + failure.getClass().getSimpleName());
                        }),
                false);
    }

    private static Frame text(byte[] message) {
        return new Frame(OpCode.TEXT, ByteBuffer.wrap(message));
    }

    @Override
    public void ping() {
        var open = session;
        if (open != null) {
            var payload = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).flip();
            open.sendFrame(new Frame(OpCode.PING, payload), Callback.NOOP, false);
        }
    }

    @Override
    public void disconnect() {
        var open = session;
        if (open != null) {
            open.abort();
        }
    }

    /** A worker that dies says nothing: what was read and is no good comes from one that lives. */
    private void failed(Throwable cause, String reason) {
        var owner = connection;
        if (owner == null) {
            return;
        }
        if (cause instanceof IOException && !(cause instanceof SSLException)) {
            owner.closedThere(reason);
        } else {
            owner.close(reason);
        }
    }

    private void lost(String reason) {
        var owner = connection;
        if (owner != null) {
            owner.close(reason);
        }
    }
}
