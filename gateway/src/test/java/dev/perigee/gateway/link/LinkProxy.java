package dev.perigee.gateway.link;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A TCP proxy that can cut what passes through it, stall it (a half-open connection: nothing passes
 * and nobody is told), and refuse what is new.
 */
final class LinkProxy implements AutoCloseable {
    private final int target;
    private final ServerSocket listener;
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;

    /** One connection and its other half. */
    private static final class Pair {
        private final Socket near;
        private final Socket far;
        private volatile boolean stalled;

        Pair(Socket near, Socket far) {
            this.near = near;
            this.far = far;
        }

        void close() {
            closeQuietly(near);
            closeQuietly(far);
        }
    }

    LinkProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("proxy-accept").start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How many connections were made so far. */
    int connections() {
        return pairs.size();
    }

    void cut() {
        pairs.forEach(Pair::close);
    }

    void stall() {
        pairs.forEach(pair -> pair.stalled = true);
    }

    /** From now on new connections are closed at once. */
    void refuse(boolean refuse) {
        refusing = refuse;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var near = listener.accept();
                if (refusing) {
                    near.close();
                    continue;
                }
                var pair = new Pair(near, new Socket(InetAddress.getLoopbackAddress(), target));
                near.setTcpNoDelay(true);
                pair.far.setTcpNoDelay(true);
                pairs.add(pair);
                pump(pair, pair.near, pair.far);
                pump(pair, pair.far, pair.near);
            } catch (IOException e) {
                // The listener was closed, or the worker is gone: the next accept tells.
            }
        }
    }

    private static void pump(Pair pair, Socket from, Socket to) {
        Thread.ofPlatform()
                .daemon()
                .name("proxy-pump")
                .start(
                        () -> {
                            try (InputStream in = from.getInputStream()) {
                                var buffer = new byte[64 * 1024];
                                for (var n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                                    if (!pair.stalled) {
                                        to.getOutputStream().write(buffer, 0, n);
                                    }
                                }
                            } catch (IOException e) {
                                // Cut: both halves go.
                            }
                            if (!pair.stalled) {
                                pair.close();
                            }
                        });
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
    }
}
