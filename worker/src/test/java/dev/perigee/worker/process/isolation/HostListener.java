package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/** A listener at all addresses of this machine that says hello, or says back what it is told. */
final class HostListener implements AutoCloseable {
    private final ServerSocket listener;
    private final boolean echoes;
    private final AtomicInteger accepted = new AtomicInteger();
    private final Queue<Socket> held = new ConcurrentLinkedQueue<>();
    private volatile boolean holds;

    HostListener() throws IOException {
        this(false);
    }

    HostListener(boolean echoes) throws IOException {
        this.echoes = echoes;
        this.listener = new ServerSocket(0, 200);
        var _ = Thread.ofVirtual().start(this::serve);
    }

    /** This machine's addresses of IPv4 besides loopback. */
    static List<String> ownAddresses() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(Inet4Address.class::isInstance)
                .filter(address -> !address.isLoopbackAddress())
                .map(InetAddress::getHostAddress)
                .toList();
    }

    /** One of them; skips the test where there is none. */
    static String ownAddress() throws IOException {
        var own = ownAddresses();
        Assumptions.assumeFalse(own.isEmpty(), "This machine has no address but loopback");
        return own.getFirst();
    }

    int port() {
        return listener.getLocalPort();
    }

    int accepted() {
        return accepted.get();
    }

    /** From now on connections stay open. */
    void hold() {
        holds = true;
    }

    /** From now on they do not. */
    void release() {
        holds = false;
    }

    private void serve() {
        while (true) {
            try {
                var peer = listener.accept();
                accepted.incrementAndGet();
                var _ = Thread.ofVirtual().start(() -> serve(peer));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket peer) {
        try {
            if (echoes) {
                peer.getInputStream().transferTo(peer.getOutputStream());
            } else {
                peer.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
            }
            if (holds) {
                held.add(peer);
            } else {
                peer.close();
            }
        } catch (IOException e) {
            held.add(peer);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var peer : held) {
            peer.close();
        }
    }
}
