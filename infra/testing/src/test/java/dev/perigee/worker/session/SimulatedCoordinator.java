package dev.perigee.worker.session;

import dev.perigee.gateway.placement.RecordedHost;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The brokers: the group that gives the partition to one gateway, its state, what is published. */
final class SimulatedCoordinator extends SimulatedPart {
    static final long SESSION_TIMEOUT = 10_000;

    private final Map<SimulatedGateway, Long> heard = new HashMap<>();
    private final Map<String, Long> published = new HashMap<>();
    private @Nullable SimulatedGateway owner;
    private @Nullable SimulatedGateway next;
    private long tenure;
    private long offset;
    private @Nullable RecordedHost host;

    SimulatedCoordinator(SimulatedFleet fleet) {
        super(fleet, 0, "broker");
    }

    @Override
    void born() {}

    /** A broker that is killed keeps what it has. */
    @Override
    void died() {}

    @Override
    void tick() {
        var had = owner;
        if (had == null || silence(had) > SESSION_TIMEOUT) {
            assign(next != null && silence(next) < SESSION_TIMEOUT ? next : anyMember());
        }
    }

    private long silence(SimulatedGateway gateway) {
        return fleet.now() - heard.getOrDefault(gateway, Long.MIN_VALUE / 2);
    }

    private @Nullable SimulatedGateway anyMember() {
        var members =
                fleet.gateways.stream()
                        .filter(each -> silence(each) < SESSION_TIMEOUT / 2)
                        .toList();
        return members.isEmpty() ? null : members.get(fleet.random.nextInt(members.size()));
    }

    private void assign(@Nullable SimulatedGateway to) {
        if (to != null) {
            owner = to;
            next = null;
            tenure++;
        }
    }

    /** The partition shall go to another gateway, once its owner has let it go. */
    void rebalance() {
        next = anyMember();
    }

    /**
     * A member polls.
     *
     * @param leaves the tenure that it gives back, so that the partition is assigned anew
     * @param answer takes its tenure, 0 for none, and whether it shall give it back
     */
    void poll(SimulatedGateway from, long leaves, Answer answer) {
        heard.put(from, fleet.now());
        if (from == owner && leaves == tenure) {
            assign(next == null ? from : next);
        }
        long own = from == owner ? tenure : 0;
        boolean revoked = own > 0 && next != null && next != from;
        reply(from, () -> answer.polled(own, revoked));
    }

    /** What a poll is answered. */
    interface Answer {
        void polled(long tenure, boolean revoked);
    }

    /** A gateway that starts anew is another member. */
    void left(SimulatedGateway gateway) {
        heard.remove(gateway);
        if (owner == gateway) {
            tenure++; // What the life before has under way is refused.
            owner = null;
        }
    }

    /** Offsets are committed, if the group agrees. */
    void commit(SimulatedGateway from, long of, Runnable confirmed) {
        if (from == owner && of == tenure) {
            reply(from, confirmed);
        }
    }

    /** A claim, which reads the state. */
    void claim(SimulatedGateway from, long of, Consumer<Long> claimed) {
        if (from == owner && of == tenure) {
            long epoch = ++offset;
            reply(from, () -> claimed.accept(epoch));
        }
    }

    /** Writes the host, in a transaction that the group may refuse. */
    void host(SimulatedGateway from, long of, RecordedHost chosen, Runnable written) {
        if (from == owner && of == tenure) {
            host = chosen;
            offset++;
            reply(from, written);
        }
    }

    /** What a claim reads. */
    @Nullable RecordedHost host() {
        return host;
    }

    /** Events of a session arrive in its topic. */
    void publish(SimulatedGateway from, String session, long after, long upTo, Runnable durable) {
        long before = published(session);
        if (after <= before) {
            published.put(session, Math.max(before, upTo));
            reply(from, durable);
        }
    }

    long published(String session) {
        return published.getOrDefault(session, 0L);
    }

    private void reply(SimulatedGateway to, Runnable arrival) {
        fleet.send(this, to, arrival);
    }

    /** Whether the owner is attached. */
    boolean isServed() {
        var current = owner;
        return current != null && current.isServing();
    }
}
