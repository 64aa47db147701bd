package dev.perigee.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One connection through the proxy: two sockets and a thread for each direction. */
final class ProxiedConnection {
    private static final int CONNECT_MS = 2_000;
    private static final int BUFFER = 64 * 1024;

    private final Socket near;
    private final Socket far = new Socket();
    private final Supplier<FaultProxy.Pace> pace;
    private final Consumer<ProxiedConnection> gone;
    private volatile boolean dropping;

    ProxiedConnection(
            Socket near, Supplier<FaultProxy.Pace> pace, Consumer<ProxiedConnection> gone) {
        this.near = near;
        this.pace = pace;
        this.gone = gone;
    }

    /** Connects the other half; without it this half ends. */
    void start(InetSocketAddress target) {
        try {
            far.connect(target, CONNECT_MS);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            pump(near, far);
            pump(far, near);
        } catch (IOException e) {
            close();
        }
    }

    void close() {
        closeQuietly(near);
        closeQuietly(far);
        gone.accept(this);
    }

    void reset() {
        lingerNot(near);
        lingerNot(far);
        close();
    }

    /** As when a cable is pulled: neither bytes nor ends get through any more. */
    void drop() {
        dropping = true;
    }

    private void pump(Socket from, Socket to) {
        Thread.ofPlatform().daemon().name("faults-pump").start(() -> pass(from, to));
    }

    private void pass(Socket from, Socket to) {
        var buffer = new byte[BUFFER];
        try {
            while (true) {
                var now = pace.get();
                int read =
                        from.getInputStream().read(buffer, 0, Math.min(BUFFER, now.pieceBytes()));
                if (read < 0) {
                    break;
                }
                if (now.latency().isPositive()) {
                    Thread.sleep(now.latency()); // This is the fault itself.
                }
                if (!dropping) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
        } catch (IOException | InterruptedException e) {
            // Closed by either side, or by order.
        }
        if (!dropping) {
            close();
        } else {
            closeQuietly(from); // The other side learns nothing of it.
        }
    }

    private static void lingerNot(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
    }
}
