package dev.perigee.worker.process.network;

import dev.perigee.worker.egress.ProcessGuard;
import dev.perigee.worker.process.Tenant;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The worker's end of one instance's network: takes its connections, decides where they may go and
 * has them carried, and has its names looked up. One at a time and not too many in a second, so
 * that no instance takes the loop from the others. Of the loop's thread.
 */
final class InstanceDesk {
    /** Connections and questions that are taken in a second, refused ones too. */
    private static final int CONNECTIONS_PER_SECOND = 100;

    private static final int QUESTIONS_PER_SECOND = 50;

    private final NetworkLoop loop;
    private final Tenant owner;
    private final ProcessGuard guard;
    private final ListeningSocket ipv4;
    private final ListeningSocket ipv6;
    private final NameDesk names;
    private final ListeningSocket questions;
    private final Set<Relay> relays = new HashSet<>();

    /**
     * An end that is not watched yet.
     *
     * @param sockets the listener for IPv4, the socket for names and, where there is IPv6, the
     *     listener for that
     */
    InstanceDesk(NetworkLoop loop, Tenant owner, ProcessGuard guard, List<Integer> sockets) {
        this.loop = loop;
        this.owner = owner;
        this.guard = guard;
        var connections = new RateLimiter(CONNECTIONS_PER_SECOND, System.nanoTime());
        this.names = new NameDesk(loop, owner, guard, sockets.get(1));
        this.ipv4 =
                new ListeningSocket(
                        loop,
                        sockets.getFirst(),
                        connections,
                        () -> accept(sockets.getFirst(), true),
                        this::hasRoom);
        this.questions =
                new ListeningSocket(
                        loop,
                        sockets.get(1),
                        new RateLimiter(QUESTIONS_PER_SECOND, System.nanoTime()),
                        names::take,
                        () -> true);
        this.ipv6 =
                sockets.size() < 3
                        ? ListeningSocket.CLOSED
                        : new ListeningSocket(
                                loop,
                                sockets.get(2),
                                connections,
                                () -> accept(sockets.get(2), false),
                                this::hasRoom);
    }

    void open() {
        ipv4.open();
        ipv6.open();
        questions.open();
    }

    private boolean hasRoom() {
        return loop.limits().admits(relays.size(), loop.connectionsOf(owner), loop.connections());
    }

    /** Takes one connection, if there is one. */
    private Taken accept(int listener, boolean isIpv4) {
        var calls = loop.calls();
        int inner = calls.accept(listener);
        if (inner < 0) {
            return Taken.of(inner);
        }
        Relay relay = null;
        try {
            var to = calls.destination(inner, isIpv4);
            if (to != null && admits(to)) {
                relay = Relay.begin(loop, owner, inner, to, this::remove);
            }
        } finally {
            if (relay == null) {
                calls.abort(inner);
            }
        }
        if (relay != null) {
            relays.add(relay);
            loop.began(relay, owner);
        }
        return Taken.ONE;
    }

    private boolean admits(InetSocketAddress to) {
        // What goes to this network's own loopback is here by mistake, or to find out something.
        boolean own = to.getAddress().isLoopbackAddress() && !loop.loopbackPorts().contains(to);
        return !own && guard.admits(to.getAddress(), to.getPort());
    }

    private void remove(Relay relay) {
        if (relays.remove(relay)) {
            loop.ended(relay, owner);
        }
    }

    void close() {
        ipv4.close();
        ipv6.close();
        questions.close();
        names.close();
        List.copyOf(relays).forEach(Relay::abort);
    }
}
