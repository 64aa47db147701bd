package dev.perigee.gateway.link;

import dev.perigee.link.InPlaceEndPoint;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;

/** Connects to workers, by sockets that are read in place. */
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
