package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves names of hosts, on the thread that asks; may block as long as the system's resolver. */
@FunctionalInterface
public interface Names {
    /** Addresses of one host that count. A resolver has thousands where a host says so. */
    int MOST_ADDRESSES = 32;

    /**
     * All addresses of a host, at least one.
     *
     * @param system the system's own lookup of this host
     * @throws UnknownHostException when it has none
     */
    List<InetAddress> addresses(String host, Lookup system) throws UnknownHostException;

    /** Those that count: the first {@link #MOST_ADDRESSES} of them are decided on, and dialled. */
    static List<InetAddress> first(List<InetAddress> addresses) {
        return List.copyOf(addresses.subList(0, Math.min(MOST_ADDRESSES, addresses.size())));
    }

    /** A lookup that has not happened yet. */
    @FunctionalInterface
    interface Lookup {
        List<InetAddress> now() throws UnknownHostException;
    }
}
