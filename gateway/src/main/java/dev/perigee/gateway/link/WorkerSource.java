package dev.perigee.gateway.link;

import dev.perigee.protocol.settings.HostPort;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An element of {@code workers}: one worker, or a name in the DNS that has some. */
public sealed interface WorkerSource {
    /** What the setting's text looks like. */
    String EXPECTS =
            "a URL such as ws://127.0.0.1:7070/link, dns+ws://workers.example:7070/link or"
                    + " srv+ws://_link._tcp.example/link, each also with wss, without user or"
                    + " query";

    /** One worker. */
    record One(URI uri) implements WorkerSource {
        @Override
        public boolean isEncrypted() {
            return "wss".equals(uri.getScheme());
        }

        @Override
        public String toString() {
            return uri.toString();
        }
    }

    /** A worker at each address of a host name. */
    record Addresses(URI uri) implements WorkerSource {
        @Override
        public boolean isEncrypted() {
            return "wss".equals(uri.getScheme());
        }

        List<WorkerAddress> workers(List<InetAddress> found) {
            return found.stream().map(at -> new WorkerAddress(uri, at)).toList();
        }

        @Override
        public String toString() {
            return "dns+" + uri;
        }
    }

    /**
     * A worker at each target of a service's SRV records.
     *
     * @param scheme of the link, ws or wss
     * @param path of the link
     */
    record Services(String scheme, String name, String path) implements WorkerSource {
        @Override
        public boolean isEncrypted() {
            return scheme.equals("wss");
        }

        List<WorkerAddress> workers(List<HostPort> found) {
            return found.stream()
                    .map(target -> URI.create(scheme + "://" + target + path))
                    .map(uri -> new WorkerAddress(uri, null))
                    .toList();
        }

        @Override
        public String toString() {
            return "srv+" + scheme + "://" + name + path;
        }
    }

    /** Whether links to its workers are encrypted. */
    boolean isEncrypted();

    /** Reads an element; null when it is none. */
    static @Nullable WorkerSource parse(String text) {
        try {
            if (text.startsWith("srv+")) {
                return services(new URI(text.substring(4)));
            }
            boolean resolves = text.startsWith("dns+");
            var uri = new URI(resolves ? text.substring(4) : text);
            if (!isLink(uri) || uri.getHost() == null) {
                return null;
            }
            if (!resolves) {
                return new One(uri);
            }
            return uri.getPort() < 0 ? null : new Addresses(uri);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** The name of a service has underscores, which the host of a URL has not. */
    private static @Nullable Services services(URI uri) {
        var name = uri.getRawAuthority();
        return isLink(uri) && name != null && name.matches("[A-Za-z0-9._-]+")
                ? new Services(uri.getScheme(), name, uri.getRawPath())
                : null;
    }

    private static boolean isLink(URI uri) {
        return ("ws".equals(uri.getScheme()) || "wss".equals(uri.getScheme()))
                && uri.getRawUserInfo() == null
                && uri.getRawQuery() == null
                && uri.getRawFragment() == null;
    }
}
