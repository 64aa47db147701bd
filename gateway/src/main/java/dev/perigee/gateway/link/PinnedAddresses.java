package dev.perigee.gateway.link;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.websocket.client.JettyUpgradeListener;

/**
 * Lets a request go to one of the addresses that its host's name has, while TLS still compares the
 * certificate with the name. Other requests take the name's own.
 */
final class PinnedAddresses implements SocketAddressResolver {
    private final SocketAddressResolver names = new SocketAddressResolver.Sync();

    /** Pins a request to the address that the worker is at, where it is known. */
    static JettyUpgradeListener pin(WorkerAddress worker) {
        var at = worker.at();
        return new JettyUpgradeListener() {
            @Override
            public void onHandshakeRequest(Request request) {
                if (at != null) {
                    request.tag(new InetSocketAddress(at, worker.uri().getPort()));
                }
            }
        };
    }

    @Override
    public void resolve(
            String host,
            int port,
            Map<String, Object> context,
            Promise<List<InetSocketAddress>> promise) {
        if (context.get(Destination.CONTEXT_KEY) instanceof Destination destination
                && destination.getOrigin().getTag() instanceof InetSocketAddress pinned) {
            promise.succeeded(List.of(pinned));
        } else {
            // The system's resolver blocks, and this is a thread of Jetty's.
            Thread.ofVirtual()
                    .name("link-resolve")
                    .start(() -> names.resolve(host, port, context, promise));
        }
    }
}
