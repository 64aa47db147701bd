package dev.perigee.worker.session;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens connections that say nothing, as fast as it can, on a thread of its own. Never more than
 * {@link #MOST_OPEN} are open here; none leaves a port behind that waits for its time. It waits for
 * no connection: where the server's queue is full, that one is not made.
 */
public final class Flood implements AutoCloseable {
    private static final int MOST_OPEN = 2_000;

    private final InetSocketAddress target;
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger tried = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Thread thread = Thread.ofPlatform().daemon().name("flood").unstarted(this::run);

    private Flood(InetSocketAddress target) {
        this.target = target;
    }

    /** Begins at a port of loopback. */
    public static Flood on(int port) {
        var flood = new Flood(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
        flood.thread.start();
        return flood;
    }

    /** How many were tried so far. */
    public int tried() {
        return tried.get();
    }

    /** How many of those were connected when it was their turn to be closed. */
    public int made() {
        return made.get();
    }

    private void run() {
        var open = new ArrayDeque<SocketChannel>();
        try {
            while (!over.get()) {
                if (open.size() >= MOST_OPEN) {
                    end(open);
                }
                open.add(begin());
                tried.incrementAndGet();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            while (!open.isEmpty()) {
                end(open);
            }
        }
    }

    private SocketChannel begin() throws IOException {
        var channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.connect(target);
        return channel;
    }

    private void end(Queue<SocketChannel> open) {
        try (var oldest = open.remove()) {
            if (oldest.isConnected() || oldest.finishConnect()) {
                made.incrementAndGet();
            }
        } catch (IOException e) {
            // Closed by the server, which made it first.
            made.incrementAndGet();
        }
    }

    @Override
    public void close() {
        over.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
