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
 * Acceptor of the link's sockets, which are read in place. Connections are accepted on a thread of
 * their own, so that who connects all the time does not keep the readers from reading.
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
