package dev.perigee.protocol.access;

import java.nio.channels.SelectableChannel;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.SelectorManager;

/**
 * Bounds the connections that a Jetty connector has accepted and its selector has not opened yet,
 * in a flood that outruns the selector. With too many the thread that accepts waits for it, and the
 * rest stays with the kernel, where it costs no descriptor. For connectors that accept on a thread
 * of its own, which is interrupted when they stop.
 */
final class Arrivals implements SelectorManager.AcceptListener {
    private final Semaphore room;

    Arrivals(int most) {
        this.room = new Semaphore(most);
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        try {
            room.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void onAccepted(SelectableChannel channel) {
        room.release();
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable failure) {
        room.release();
    }
}
