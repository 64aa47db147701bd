package dev.perigee.gateway.link;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Address at which a worker is dialled.
 *
 * @param uri the link's URL; behind {@code wss} its host is what the certificate must name
 * @param at one address of several that the host's name has; null to take the name's own
 */
record WorkerAddress(URI uri, @Nullable InetAddress at) {

    /** The URL with the address that is dialled, for people. */
    URI shown() {
        if (at == null) {
            return uri;
        }
        var text = at.getHostAddress();
        var host = at instanceof Inet6Address ? "[" + text + "]" : text;
        return URI.create(uri.getScheme() + "://" + host + ":" + uri.getPort() + uri.getRawPath());
    }

    boolean isEncrypted() {
        return "wss".equals(uri.getScheme());
    }
}
