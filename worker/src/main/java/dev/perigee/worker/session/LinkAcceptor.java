package dev.perigee.worker.session;

import dev.perigee.link.InPlaceEndPoint;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Acceptor of the link's sockets, read on the selector's thread. Connections are accepted on one of
 * their own, so that a client that connects all the time does not delay reads.
 */
final class LinkAcceptor extends ServerConnector {
    LinkAcceptor(Server server, ConnectionFactory... factories) {
        super(server, 1, InPlaceEndPoint.READERS, factories);
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(
            SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        var endPoint = new InPlaceEndPoint(channel, selector, key, getScheduler());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }
}
