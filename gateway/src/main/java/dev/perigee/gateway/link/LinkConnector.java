package dev.perigee.gateway.link;

import dev.perigee.link.InPlaceEndPoint;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;

/** Client connector to workers; its sockets are read on the selector's thread. */
final class LinkConnector extends ClientConnector {
    LinkConnector() {
        setSelectors(InPlaceEndPoint.READERS);
    }

    @Override
    protected EndPoint newEndPoint(
            SelectableChannel channel, ManagedSelector selector, SelectionKey key) {
        return new InPlaceEndPoint((SocketChannel) channel, selector, key, getScheduler());
    }
}
