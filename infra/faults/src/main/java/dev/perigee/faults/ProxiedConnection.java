package dev.perigee.faults;

import dev.perigee.faults.Condition.Direction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;

/**
 * One connection through the proxy: two sockets and a thread for each direction. What one side
 * does, its end too, is carried to the other as bytes are: not while they are held.
 */
final class ProxiedConnection {
    private static final int CONNECT_MS = 2_000;
    private static final int BUFFER = 64 * 1024;

    private final Socket near;
    private final Socket far = new Socket();
    private final Gate gate;
    private final Consumer<ProxiedConnection> gone;
    private volatile boolean heldBack;
    private volatile boolean dropping;
    private volatile boolean closed;

    ProxiedConnection(Socket near, Gate gate, Consumer<ProxiedConnection> gone) {
        this.near = near;
        this.gate = gate;
        this.gone = gone;
    }

    /** Connects the other half; without it this half ends. */
    void start(InetSocketAddress target) {
        try {
            far.connect(target, CONNECT_MS);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            pump(near, far, Direction.FORTH);
            pump(far, near, Direction.BACK);
        } catch (IOException e) {
            close();
        }
    }

    /**
     * Leaves the other half unconnected for good, since this one was begun while nothing passes.
     */
    void holdBack() {
        heldBack = true;
    }

    boolean isHeldBack() {
        return heldBack;
    }

    void close() {
        closed = true;
        gate.wake();
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

    private void pump(Socket from, Socket to, Direction direction) {
        Thread.ofPlatform()
                .daemon()
                .name("faults-pump")
                .start(
                        () -> {
                            try {
                                pass(from, to, direction);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                close();
                            }
                        });
    }

    private void pass(Socket from, Socket to, Direction direction) throws InterruptedException {
        var buffer = new byte[BUFFER];
        while (true) {
            var now = gate.condition();
            int read = read(from, buffer, Math.min(BUFFER, now.pieceBytes()));
            if (read > 0 && now.latency().isPositive()) {
                Thread.sleep(now.latency()); // This is the fault itself.
            }
            gate.awaitOpen(direction, () -> closed);
            if (closed || read < 0) {
                end(from);
                return;
            }
            if (!dropping && !write(to, buffer, read)) {
                gate.awaitOpen(direction.opposite(), () -> closed);
                end(from);
                return;
            }
        }
    }

    private void end(Socket from) {
        if (dropping) {
            closeQuietly(from); // The other side learns nothing of it.
        } else {
            close();
        }
    }

    /** -1 at the end, whatever ended it. */
    private static int read(Socket from, byte[] buffer, int most) {
        try {
            return from.getInputStream().read(buffer, 0, most);
        } catch (IOException e) {
            return -1;
        }
    }

    private static boolean write(Socket to, byte[] buffer, int length) {
        try {
            to.getOutputStream().write(buffer, 0, length);
            return true;
        } catch (IOException e) {
            return false;
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
