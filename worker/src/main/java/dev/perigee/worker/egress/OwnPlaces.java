package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Classifier of addresses and ports of this machine. The worker's own listening addresses are added
 * as soon as they are known. Thread-safe.
 */
final class OwnPlaces {
    private final Predicate<InetAddress> addresses;
    private final Set<Integer> listening = ConcurrentHashMap.newKeySet();

    /**
     * Knows of no listener yet.
     *
     * @param addresses whether one is this machine's
     */
    OwnPlaces(Predicate<InetAddress> addresses) {
        this.addresses = addresses;
    }

    static OwnPlaces ofThisMachine() {
        return new OwnPlaces(OwnAddresses.ofThisMachine());
    }

    /** The worker listens at this port, at whichever of the addresses. */
    void listensAt(int port) {
        listening.add(port);
    }

    /**
     * What is there.
     *
     * @param port 0 where none is asked for yet, below that where it is not at hand and may be any
     */
    Place at(InetAddress address, int port) {
        if (!addresses.test(address)) {
            return Place.ELSEWHERE;
        }
        boolean worker = port < 0 ? !listening.isEmpty() : listening.contains(port);
        return worker ? Place.WORKER : Place.MACHINE;
    }
}
