package dev.perigee.gateway.link;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Connects to workers. What arrives is read on the thread that waited for it, since nothing that
 * reads the link waits: Jetty would otherwise wake another thread for each read, to wait in its
 * place.
 */
final class LinkConnector extends ClientConnector {
    private static final int READERS =
            Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);

    LinkConnector() {
        setSelectors(READERS);
    }

    @Override
    protected EndPoint newEndPoint(
            SelectableChannel channel, ManagedSelector selector, SelectionKey key) {
        return new Direct((SocketChannel) channel, selector, key, getScheduler());
    }

    private static final class Direct extends SocketChannelEndPoint {
        Direct(
                SocketChannel channel,
                ManagedSelector selector,
                SelectionKey key,
                Scheduler scheduler) {
            super(channel, selector, key, scheduler);
        }

        @Override
        public void fillInterested(Callback reader) {
            super.fillInterested(direct(reader));
        }

        @Override
        public boolean tryFillInterested(Callback reader) {
            return super.tryFillInterested(direct(reader));
        }

        private static Callback direct(Callback reader) {
            return new Callback.Nested(reader) {
                @Override
                public InvocationType getInvocationType() {
                    return InvocationType.NON_BLOCKING;
                }
            };
        }
    }
}
