package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/**
 * A connection's WebSocket. Jetty calls the listener methods on its own threads, one at a time, and
 * needs to see the class.
 */
public final class JettyWire implements LinkConnection.Wire, Session.Listener.AutoDemanding {
    private volatile @Nullable LinkConnection connection;
    private volatile @Nullable Session session;

    JettyWire() {}

    void bind(LinkConnection owner) {
        connection = owner;
    }

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
        var owner = connection;
        if (owner == null || owner.isClosed()) {
            opened.disconnect();
        }
    }

    @Override
    public void onWebSocketText(String message) {
        var owner = connection;
        if (owner != null) {
            owner.received(message.getBytes(UTF_8));
        }
    }

    @Override
    public void onWebSocketPong(ByteBuffer payload) {
        var owner = connection;
        if (owner != null) {
            owner.pong(
                    payload.remaining() == Long.BYTES
                            ? Duration.ofNanos(System.nanoTime() - payload.getLong())
                            : null);
        }
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        lost(cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }

    @Override
    public void onWebSocketClose(int statusCode, String reason, Callback done) {
        lost("closed with status " + statusCode);
        done.succeed();
    }

    @Override
    public void send(byte[] frame, Runnable done) {
        var open = session;
        if (open == null) {
            done.run();
            return;
        }
        open.sendText(
                new String(frame, UTF_8),
                Callback.from(
                        done,
                        failure -> {
                            done.run();
                            lost("write failed: " + failure.getClass().getSimpleName());
                        }));
    }

    @Override
    public void ping() {
        var open = session;
        if (open != null) {
            var payload = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).flip();
            open.sendPing(payload, Callback.NOOP);
        }
    }

    @Override
    public void disconnect(String reason) {
        var open = session;
        if (open != null) {
            open.disconnect();
        }
    }

    private void lost(String reason) {
        var owner = connection;
        if (owner != null) {
            owner.close(reason);
        }
    }
}
