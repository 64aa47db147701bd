package dev.perigee.link;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Socket of a link whose data is read on the selector's thread, since nothing that reads the link
 * waits: Jetty would otherwise wake another thread for each read, to wait in its place.
 */
public final class InPlaceEndPoint extends SocketChannelEndPoint {
    /** Selectors, and so threads that read, of either side. */
    public static final int READERS =
            Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);

    public InPlaceEndPoint(
            SocketChannel channel,
            ManagedSelector selector,
            SelectionKey key,
            Scheduler scheduler) {
        super(channel, selector, key, scheduler);
    }

    @Override
    public void fillInterested(Callback reader) {
        super.fillInterested(inPlace(reader));
    }

    @Override
    public boolean tryFillInterested(Callback reader) {
        return super.tryFillInterested(inPlace(reader));
    }

    private static Callback inPlace(Callback reader) {
        return new Callback.Nested(reader) {
            @Override
            public InvocationType getInvocationType() {
                return InvocationType.NON_BLOCKING;
            }
        };
    }
}
