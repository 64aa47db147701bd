package dev.perigee.bench.load;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;

/** One end of the relay's WebSocket: a frame is a message. Jetty calls it on its threads. */
abstract class RelaySocket implements FrameHandler {
    /** Each way, as on Perigee's link. */
    private static final int BUFFER_BYTES = 32 << 10;

    private volatile @Nullable CoreSession session;

    @Nullable CoreSession session() {
        return session;
    }

    abstract void message(ByteBuffer payload);

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        opened.setIdleTimeout(Duration.ZERO);
        opened.setAutoFragment(false);
        opened.setInputBufferSize(BUFFER_BYTES);
        opened.setOutputBufferSize(BUFFER_BYTES);
        session = opened;
        callback.succeeded();
        opened.demand();
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        if (frame.getOpCode() == OpCode.TEXT) {
            message(frame.getPayload());
        }
        callback.succeeded();
        var open = session;
        if (open != null && frame.getOpCode() != OpCode.CLOSE) {
            open.demand();
        }
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        callback.succeeded();
    }
}
