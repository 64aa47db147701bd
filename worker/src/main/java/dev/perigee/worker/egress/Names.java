package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves names of hosts, on the thread that asks; may block as long as the system's resolver. */
@FunctionalInterface
public interface Names {

    /**
     * All addresses of a host, at least one.
     *
     * @param system the system's own lookup of this host
     * @throws UnknownHostException when it has none
     */
    List<InetAddress> addresses(String host, Lookup system) throws UnknownHostException;

    /** A lookup that has not happened yet. */
    @FunctionalInterface
    interface Lookup {
        List<InetAddress> now() throws UnknownHostException;
    }
}
