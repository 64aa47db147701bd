package dev.perigee.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy on the loopback interface between two parts, with the faults of a network: it closes,
 * resets, drops, holds, delays, lets drip and refuses what passes. Faults of connections end with
 * them; the others are its {@link Condition}, which lasts until the next or {@link #heal}. Safe for
 * use by any thread.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int BACKLOG = 50;

    private final InetSocketAddress target;
    private final ServerSocket listener;
    private final Set<ProxiedConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger made = new AtomicInteger();
    private final Gate gate = new Gate();

    private FaultProxy(InetSocketAddress target, ServerSocket listener) {
        this.target = target;
        this.listener = listener;
    }

    /** A proxy in front of a port of the loopback interface, which need not be served yet. */
    public static FaultProxy to(int port) throws IOException {
        var loopback = InetAddress.ofLiteral("127.0.0.1");
        var proxy =
                new FaultProxy(
                        new InetSocketAddress(loopback, port),
                        new ServerSocket(0, BACKLOG, loopback));
        Thread.ofPlatform().daemon().name("faults-accept").start(proxy::accept);
        return proxy;
    }

    /** Where it listens, on 127.0.0.1. */
    public int port() {
        return listener.getLocalPort();
    }

    /** How many connections were made through it so far. */
    public int connections() {
        return made.get();
    }

    /** How many connections are open now. */
    public int open() {
        return open.size();
    }

    /** Not those that are made while something is done to each: that would hit them, too. */
    private List<ProxiedConnection> present() {
        return List.copyOf(open);
    }

    /** Closes every connection in both directions, with FIN. */
    public void cut() {
        present().forEach(ProxiedConnection::close);
    }

    /** Resets every connection in both directions. */
    public void reset() {
        present().forEach(ProxiedConnection::reset);
    }

    /** From now on nothing passes on the present connections, and nobody is told. */
    public void drop() {
        present().forEach(ProxiedConnection::drop);
    }

    /**
     * From now on this is what happens to what passes. What was held goes on its way when it is
     * held no more, as packets do that are sent again and again; connections that were begun
     * meanwhile end then.
     */
    public void set(Condition condition) {
        gate.set(condition);
        if (!condition.holdsAny()) {
            open.stream().filter(ProxiedConnection::isHeldBack).forEach(ProxiedConnection::close);
        }
    }

    /** New connections are closed at once. */
    public void refuse() {
        set(gate.condition().and(Condition.REFUSING));
    }

    /** What is lost to both sides: present connections are cut, new ones refused. */
    public void partition() {
        refuse();
        cut();
    }

    /** Parts the sides for so long; the caller waits. */
    public void partitionFor(Duration time) throws InterruptedException {
        partition();
        Thread.sleep(time); // This is the fault itself.
        heal();
    }

    /** Every piece comes so much later. */
    public void delay(Duration latency) {
        set(Condition.slow(latency, Condition.HEALTHY.pieceBytes()));
    }

    /** Only so many bytes pass each ten milliseconds. */
    public void drip(int bytes) {
        set(Condition.slow(Duration.ofMillis(10), bytes));
    }

    /** New connections are let through, and all at full pace. */
    public void heal() {
        set(Condition.HEALTHY);
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var near = listener.accept();
                if (gate.condition().refusing()) {
                    near.close();
                } else {
                    connect(near);
                }
            } catch (IOException e) {
                // Closed, or out of sockets: the next turn tells.
            }
        }
    }

    private void connect(Socket near) {
        made.incrementAndGet();
        var connection = new ProxiedConnection(near, gate, open::remove);
        if (gate.condition().holdsAny()) {
            connection.holdBack();
        }
        open.add(connection);
        if (!connection.isHeldBack()) {
            connection.start(target);
        }
        var now = gate.condition();
        boolean missed = connection.isHeldBack() && !now.holdsAny();
        if (missed || now.refusing() || listener.isClosed()) {
            connection.close();
        }
    }
}
