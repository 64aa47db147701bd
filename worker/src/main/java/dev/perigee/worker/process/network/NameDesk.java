package dev.perigee.worker.process.network;

import dev.perigee.worker.egress.ProcessGuard;
import dev.perigee.worker.process.Tenant;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers an instance's questions for names: addresses of hosts that the policy admits, and of no
 * others. Other questions have an empty answer. Of the loop's thread; lookups are done by others.
 */
final class NameDesk {
    private static final List<InetAddress> LOOPBACK =
            List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));

    /** Questions for one name while it is looked up: of both kinds, and once more. */
    private static final int MOST_ASKERS = 8;

    private final NetworkLoop loop;
    private final Tenant owner;
    private final ProcessGuard guard;
    private final int socket;
    private final Map<String, List<Asked>> pending = new HashMap<>();
    private boolean closed;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Asked(DnsQuery query, byte[] from) {}

    NameDesk(NetworkLoop loop, Tenant owner, ProcessGuard guard, int socket) {
        this.loop = loop;
        this.owner = owner;
        this.guard = guard;
        this.socket = socket;
    }

    /** Takes one question, if there is one. */
    Taken take() {
        var datagram = loop.calls().receiveFrom(socket);
        if (datagram == null) {
            return Taken.NONE;
        }
        var query = DnsQuery.parse(datagram.content());
        if (query != null) {
            consider(new Asked(query, datagram.from()));
        }
        return Taken.ONE;
    }

    private void consider(Asked asked) {
        var query = asked.query();
        if (query.isLocal()) {
            answer(asked, DnsQuery.Outcome.FOUND, LOOPBACK);
        } else if (!query.asksForHost()) {
            answer(asked, DnsQuery.Outcome.FOUND, List.of());
        } else {
            ask(asked);
        }
    }

    private void ask(Asked asked) {
        var name = asked.query().name();
        var askers = pending.get(name);
        if (askers != null) {
            if (askers.size() < MOST_ASKERS) {
                askers.add(asked);
            }
        } else if (!guard.mayAsk(name)) {
            answer(asked, DnsQuery.Outcome.NO_SUCH_NAME, List.of());
        } else if (loop.lookups().begin(name, owner, pending.size(), found -> found(name, found))) {
            pending.put(name, new ArrayList<>(List.of(asked)));
        } else {
            answer(asked, DnsQuery.Outcome.FAILED, List.of());
        }
    }

    /** On the loop's thread again. */
    private void found(String name, @Nullable List<InetAddress> addresses) {
        var askers = pending.remove(name);
        if (askers == null || closed) {
            return;
        }
        if (addresses != null && guard.admit(name, addresses)) {
            askers.forEach(asked -> answer(asked, DnsQuery.Outcome.FOUND, addresses));
        } else {
            askers.forEach(asked -> answer(asked, DnsQuery.Outcome.NO_SUCH_NAME, List.of()));
        }
    }

    private void answer(Asked asked, DnsQuery.Outcome outcome, List<InetAddress> addresses) {
        loop.calls().sendTo(socket, asked.query().answer(outcome, addresses), asked.from());
    }

    void close() {
        closed = true;
        pending.clear();
    }
}
