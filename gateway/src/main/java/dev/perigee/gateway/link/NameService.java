package dev.perigee.gateway.link;

import dev.perigee.protocol.settings.HostPort;
import java.net.InetAddress;
import java.util.List;

/** Looks names up. Blocks, for a few seconds at most. */
interface NameService {
    /** A host's addresses, at least one. */
    List<InetAddress> addresses(String host) throws LookupFailedException;

    /** Where a service is, at least one target. */
    List<HostPort> services(String name) throws LookupFailedException;

    /** A name has no answer now. The message says why, for people. */
    final class LookupFailedException extends Exception {
        private static final long serialVersionUID = 1L;

        LookupFailedException(String message) {
            super(message);
        }
    }
}
