package dev.perigee.gateway.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.Origin;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * Lets a request go to one of the addresses that its host's name has, while TLS still compares the
 * certificate with the name: the address is the tag of the request's origin. It is bound while the
 * request is sent, since an upgrade's request can be reached no other way that early.
 */
@SuppressWarnings("try") // Jetty's close() throws what it likes; the WebSocket client stops it.
final class PinningHttpClient extends HttpClient {
    /** The address for requests that are sent in this scope; unbound for the name's own. */
    static final ScopedValue<InetAddress> AT = ScopedValue.newInstance();

    PinningHttpClient(HttpClientTransport transport) {
        super(transport);
        setSocketAddressResolver(new Pinned());
    }

    @Override
    public Origin createOrigin(Request request, Origin.Protocol protocol) {
        var origin = super.createOrigin(request, protocol);
        return AT.isBound()
                ? new Origin(origin.getScheme(), origin.getAddress(), AT.get(), protocol)
                : origin;
    }

    private static final class Pinned implements SocketAddressResolver {
        private final SocketAddressResolver names = new SocketAddressResolver.Sync();

        @Override
        public void resolve(
                String host,
                int port,
                Map<String, Object> context,
                Promise<List<InetSocketAddress>> promise) {
            if (context.get(Destination.CONTEXT_KEY) instanceof Destination destination
                    && destination.getOrigin().getTag() instanceof InetAddress at) {
                promise.succeeded(List.of(new InetSocketAddress(at, port)));
            } else {
                // The system's resolver blocks, and this is a thread of Jetty's.
                Thread.ofVirtual()
                        .name("link-resolve")
                        .start(() -> names.resolve(host, port, context, promise));
            }
        }
    }
}
