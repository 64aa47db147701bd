package dev.perigee.worker.session;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Acceptor and readers of the link's sockets. Data is read on the selector's thread, since nothing
 * that reads the link waits: Jetty would otherwise wake another thread for each read. Connections
 * are accepted on a thread of their own, so that who connects all the time does not keep the
 * readers from reading.
 */
final class LinkAcceptor extends ServerConnector {
    private static final int READERS =
            Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);

    LinkAcceptor(Server server, ConnectionFactory... factories) {
        super(server, 1, READERS, factories);
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(
            SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        var endPoint = new Direct(channel, selector, key, getScheduler());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
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
