package dev.perigee.worker.session;

import dev.perigee.gateway.inbound.TenureLease;
import dev.perigee.gateway.link.ClockReading;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.placement.HostChoice;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.RecordedHost;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A gateway: polls its group, claims, chooses a host, attaches and reports its lease. Lease, links,
 * the choice of a host and the owner's table are the real ones.
 */
final class SimulatedGateway extends SimulatedPart {
    private static final long RETRY = 200;
    private static final long ASK = 1_000;
    private static final long PING = 5_000;
    private static final long REFUSED_FOR = 5_000;
    private static final long REQUEST_TIMEOUT = 2_000;
    private static final HostChoice HOSTS =
            new HostChoice(SimulatedFleet.WINDOW, Duration.ofSeconds(1));

    private final List<SimulatedDial> links = new ArrayList<>();
    private @Nullable SimulatedTenure owned;
    private long leaving;
    private long askedAt;
    private long pingedAt;

    SimulatedGateway(SimulatedFleet fleet, int index, String name) {
        super(fleet, index, name);
    }

    @Override
    void born() {
        links.clear();
        fleet.workers.forEach(worker -> links.add(new SimulatedDial(worker)));
        owned = null;
        leaving = 0;
        fleet.coordinator.left(this);
    }

    @Override
    void died() {
        for (var each : links) {
            if (each.wire != null) {
                each.wire.closeAtGateway();
            }
        }
    }

    boolean isServing() {
        var own = owned;
        return own != null && own.session != null && own.session.attached != null;
    }

    /** Ends all connections from this side. */
    void resetLinks() {
        turn(() -> links.forEach(this::end));
    }

    @Override
    void tick() {
        links.forEach(this::look);
        var own = owned;
        if (own != null && !own.lease.isHeld()) {
            own.session = null; // Silent: nothing is said to the worker.
            own.owner.over(true);
            leaving = own.number;
            owned = null;
        } else if (own != null) {
            work(own);
        }
        if (fleet.now() - askedAt >= ASK) {
            askedAt = fleet.now();
            ask();
        }
        if (fleet.now() - pingedAt >= PING) {
            pingedAt = fleet.now();
            links.forEach(this::ping);
        }
    }

    private void ask() {
        long back = leaving;
        toBroker(() -> fleet.coordinator.poll(this, back, this::polled));
        var own = owned;
        if (own != null && own.confirmed > 0) {
            long asked = own.lease.now();
            toBroker(
                    () -> {
                        long then = fleet.now();
                        fleet.coordinator.commit(
                                this, own.number, () -> confirmed(own, asked, then));
                    });
        }
    }

    private static void confirmed(SimulatedTenure own, long asked, long then) {
        own.lease.heard(asked);
        own.confirmed = Math.max(own.confirmed, then);
    }

    private void polled(long tenure, boolean revoked) {
        var own = owned;
        if (own != null && tenure == own.number && !revoked) {
            return;
        }
        if (own != null && tenure <= own.number) {
            release(own);
            leaving = own.number;
            owned = null;
        } else if (tenure > leaving && (own == null || tenure > own.number)) {
            if (own != null) {
                release(own);
            }
            var lease =
                    new TenureLease(
                            Duration.ofMillis(SimulatedCoordinator.SESSION_TIMEOUT), this::nanos);
            var held = LastHeld.gained(clock());
            owned =
                    new SimulatedTenure(
                            tenure,
                            lease,
                            fleet.has(SimulatedFleet.Mend.WAIT_FOR_OTHERS)
                                    ? held
                                    : held.byThisOnly());
        }
    }

    /** Hands the partition over. */
    private static void release(SimulatedTenure own) {
        var session = own.session;
        if (session != null && session.attached != null) {
            var via = session.attached;
            via.toWorker(() -> via.worker.detach(via, session.epoch));
        }
        own.session = null;
        own.owner.over(false);
    }

    private void work(SimulatedTenure own) {
        if (fleet.now() < own.pausedUntil) {
            return;
        }
        var session = own.session;
        if (session != null) {
            publish(own, session);
        } else if (own.owner.isPaused() || own.owner.isClaiming()) {
            if (own.owner.isPaused()) {
                own.owner.due();
            }
            own.pausedUntil = fleet.now() + REQUEST_TIMEOUT;
            claim(own);
        } else if (own.recording != null
                && fleet.has(SimulatedFleet.Mend.HOST_WRITTEN_TO_THE_END)) {
            record(own, own.recording);
        } else {
            if (own.owner.isRecording()) {
                own.owner.failed();
                own.owner.claimed(); // As if nothing had been written.
            }
            place(own);
        }
    }

    private void claim(SimulatedTenure own) {
        long asked = own.lease.now();
        toBroker(
                () -> {
                    var host = fleet.coordinator.host();
                    long then = fleet.now();
                    fleet.coordinator.claim(
                            this,
                            own.number,
                            epoch -> {
                                if (own.owner.isClaiming()) {
                                    own.owner.claimed();
                                    own.lease.claimed(asked);
                                    own.confirmed = Math.max(own.confirmed, then);
                                    own.host = host;
                                    own.epoch = epoch;
                                    own.pausedUntil = 0;
                                }
                            });
                });
    }

    private void place(SimulatedTenure own) {
        var views = links.stream().map(each -> each.link.view()).toList();
        var decision = HOSTS.choose(0, own.host, own.owner.held(), views, clock());
        var chosen = own.owner.look(decision, own.host, views, clock());
        if (chosen != null && own.owner.isRecording()) {
            record(own, chosen);
        } else if (chosen != null) {
            open(own, chosen);
        }
    }

    /** Written again until an answer arrives: one that is lost does not undo what was written. */
    private void record(SimulatedTenure own, RecordedHost chosen) {
        own.recording = chosen;
        own.pausedUntil = fleet.now() + REQUEST_TIMEOUT;
        toBroker(
                () ->
                        fleet.coordinator.host(
                                this, own.number, chosen, () -> recorded(own, chosen)));
    }

    private void recorded(SimulatedTenure own, RecordedHost chosen) {
        if (own == owned && own.owner.isRecording() && chosen.equals(own.recording)) {
            own.owner.recorded();
            own.recording = null;
            own.host = chosen;
            own.pausedUntil = 0;
            open(own, chosen);
        }
    }

    private void open(SimulatedTenure own, RecordedHost chosen) {
        for (var at : links) {
            var view = at.link.view();
            if (chosen.incarnation().equals(view.incarnation())
                    && view.state() != LinkState.FAILED) {
                var session = new SimulatedSession(own.epoch, at);
                own.session = session;
                if (at.wire != null && at.greeted) {
                    attach(own, session, at.wire);
                }
                return;
            }
        }
        own.owner.notThere();
        own.pausedUntil = fleet.now() + RETRY;
    }

    private void attach(SimulatedTenure own, SimulatedSession session, SimulatedWire via) {
        var reading = via.clock;
        if (own != owned || own.session != session || !via.isOpenAtGateway() || reading == null) {
            return;
        }
        session.asked = via;
        session.heldUntil = null;
        long until = reading.untilMs(own.lease.heardAt(), SimulatedFleet.LEASE);
        boolean create = !session.everAttached;
        long confirmed = own.confirmed;
        via.toWorker(() -> via.worker.attach(via, session.epoch, create, until, confirmed));
    }

    /** The worker answers an attach. */
    void attached(SimulatedWire via, long epoch, String name, long acknowledged) {
        var own = owned;
        var session = current(epoch);
        if (own == null || session == null) {
            return;
        }
        session.everAttached = true;
        session.attached = via;
        session.name = name;
        session.received = acknowledged;
        session.published = acknowledged;
        own.owner.attached();
    }

    /** The worker is not ready. */
    void notYet(SimulatedWire via, long epoch) {
        fleet.after(
                RETRY,
                () ->
                        turn(
                                () -> {
                                    var own = owned;
                                    var session = current(epoch);
                                    if (own != null
                                            && session != null
                                            && via.equals(session.asked)) {
                                        attach(own, session, via);
                                    }
                                }));
    }

    /** The session is gone, or another's. */
    void refused(SimulatedWire via, long epoch) {
        var own = owned;
        var session = current(epoch);
        if (own != null && session != null && session.at.worker == via.worker) {
            ended(own, session, LinkFailure.EXPIRED);
        }
    }

    private @Nullable SimulatedSession current(long epoch) {
        var session = owned == null ? null : owned.session;
        return session != null && session.epoch == epoch ? session : null;
    }

    private void ended(SimulatedTenure own, SimulatedSession session, LinkFailure how) {
        var until = session.heldUntil;
        own.session = null;
        own.pausedUntil =
                fleet.now() + own.owner.lost(how, until == null ? clock() : until).toMillis();
    }

    /** Events up to this one arrived. */
    void events(SimulatedWire via, long upTo) {
        var session = owned == null ? null : owned.session;
        if (session != null && via.equals(session.attached)) {
            session.received = Math.max(session.received, upTo);
        }
    }

    private void publish(SimulatedTenure own, SimulatedSession session) {
        long from = session.published;
        long upTo = session.received;
        var via = session.attached;
        if (upTo > from && via != null && own.lease.isHeld()) {
            toBroker(
                    () ->
                            fleet.coordinator.publish(
                                    this,
                                    session.name,
                                    from,
                                    upTo,
                                    () -> durable(session, via, upTo)));
        }
    }

    private void durable(SimulatedSession session, SimulatedWire via, long upTo) {
        if (session.equals(current(session.epoch)) && via.equals(session.attached)) {
            session.published = Math.max(session.published, upTo);
            via.toWorker(() -> via.worker.acknowledge(via, upTo));
        }
    }

    private void look(SimulatedDial each) {
        var wire = each.wire;
        if (wire != null && fleet.now() - wire.pongAt >= SimulatedFleet.DEAD_AFTER) {
            end(each);
        }
        if (each.wire == null && fleet.now() - each.dialledAt >= RETRY) {
            each.dialledAt = fleet.now();
            dial(each);
        }
        if (each.link.expires(clockMs())) {
            lose(each, LinkFailure.UNREACHABLE);
        }
    }

    private void dial(SimulatedDial each) {
        boolean answers = fleet.isUp(this, each.worker) && fleet.isUp(each.worker, this);
        boolean refuses = answers && !each.worker.isAlive();
        each.refusedSince = refuses ? Math.min(each.refusedSince, fleet.now()) : Long.MAX_VALUE;
        if (refuses && each.endedThere && fleet.now() - each.refusedSince >= REFUSED_FOR) {
            if (each.link.died()) {
                lose(each, LinkFailure.DEAD);
            }
        } else if (answers && each.worker.isAlive() && !each.worker.isFrozen()) {
            var wire = new SimulatedWire(this, each.worker, each.link.begin());
            each.wire = wire;
            each.greeted = false;
            each.worker.accept(wire);
        }
    }

    /** A connection is established. */
    void hello(SimulatedWire wire, String incarnation, long workerMs) {
        for (var each : links) {
            if (wire.equals(each.wire)) {
                var before = each.link.incarnation();
                wire.pongAt = fleet.now();
                wire.clock = new ClockReading(workerMs, nanos());
                each.greeted = true;
                each.endedThere = false;
                each.link.established(wire.generation, incarnation, SimulatedFleet.RETENTION);
                if (before != null && !before.equals(incarnation)) {
                    lose(each, LinkFailure.INCARNATION_CHANGED);
                }
                var own = owned;
                if (own != null && own.session != null && own.session.at == each) {
                    attach(own, own.session, wire);
                }
            }
        }
    }

    private void lose(SimulatedDial each, LinkFailure how) {
        var own = owned;
        if (own != null && own.session != null && own.session.at == each) {
            ended(own, own.session, how);
        }
    }

    /** The worker's side ended a connection. */
    void closed(SimulatedWire wire) {
        for (var each : links) {
            if (wire.equals(each.wire)) {
                end(each);
                each.endedThere = !each.worker.isAlive();
            }
        }
    }

    private void end(SimulatedDial each) {
        var wire = each.wire;
        if (wire != null) {
            wire.closeAtGateway();
            each.wire = null;
            each.endedThere = false;
            each.link.closed(wire.generation, clockMs());
            var own = owned;
            var session = own == null ? null : own.session;
            if (own != null && session != null && wire.equals(session.asked)) {
                session.heldUntil = clock();
                session.attached = null;
                own.owner.suspended();
            }
        }
    }

    private void ping(SimulatedDial each) {
        var wire = each.wire;
        if (wire == null || !each.greeted) {
            return;
        }
        var own = owned;
        var session = own == null ? null : own.session;
        var reading = wire.clock;
        if (own != null && session != null && wire.equals(session.attached) && reading != null) {
            long until = reading.untilMs(own.lease.heardAt(), SimulatedFleet.LEASE);
            long confirmed = own.confirmed;
            wire.toWorker(() -> wire.worker.extend(wire, session.epoch, until, confirmed));
        }
        wire.toWorker(
                () -> {
                    long clock = wire.worker.clockMs();
                    wire.toGateway(() -> pong(wire, clock));
                });
    }

    private void pong(SimulatedWire wire, long workerMs) {
        wire.pongAt = fleet.now();
        wire.clock = new ClockReading(workerMs, nanos());
    }

    private void toBroker(Runnable request) {
        fleet.send(this, fleet.coordinator, request);
    }

    private Instant clock() {
        return Instant.ofEpochMilli(clockMs());
    }

    private long nanos() {
        return clockMs() * 1_000_000;
    }
}
