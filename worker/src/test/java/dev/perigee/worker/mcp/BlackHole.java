package dev.perigee.worker.mcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A loopback port where connections hang, as with a firewall that drops SYN: a listener that never
 * accepts, its backlog full.
 */
public final class BlackHole implements AutoCloseable {
    private static final int FILLERS = 4;

    private final ServerSocket listener = new ServerSocket();
    private final List<SocketChannel> fillers = new ArrayList<>();

    private BlackHole(int port) throws IOException {
        listener.setReuseAddress(true);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
        for (int i = 0; i < FILLERS; i++) {
            var filler = SocketChannel.open();
            filler.configureBlocking(false);
            filler.connect(listener.getLocalSocketAddress());
            fillers.add(filler);
        }
    }

    /** On a free port. */
    public static BlackHole open() throws IOException {
        return new BlackHole(0);
    }

    /** On this port, which nothing listens on any more. */
    public static BlackHole on(int port) throws IOException {
        return new BlackHole(port);
    }

    /** An MCP address there. */
    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/mcp";
    }

    @Override
    public void close() throws IOException {
        for (var filler : fillers) {
            filler.close();
        }
        listener.close();
    }
}
