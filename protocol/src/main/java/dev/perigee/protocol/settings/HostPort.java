package dev.perigee.protocol.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * An address to listen on or to reach, written {@code host:port}, with brackets around an IPv6
 * address. Port 0 means any free port.
 *
 * @param host a name or an address, without brackets; not blank
 * @param port from 0 to 65535
 */
public record HostPort(String host, int port) {
    public HostPort {
        if (host.isBlank() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("Not a host and port: " + host + ":" + port);
        }
    }

    /** Returns null when the text is no host and port. */
    public static @Nullable HostPort parse(String text) {
        var colon = text.lastIndexOf(':');
        if (colon < 1) {
            return null;
        }
        var host = text.substring(0, colon);
        var bracketed = host.startsWith("[") && host.endsWith("]");
        if (!bracketed && host.indexOf(':') >= 0) {
            return null;
        }
        try {
            return new HostPort(
                    bracketed ? host.substring(1, host.length() - 1) : host,
                    Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Resolves the host. */
    public InetSocketAddress toSocketAddress() {
        return new InetSocketAddress(host, port);
    }

    /** Whether only this machine reaches it; resolves the host. */
    public boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
