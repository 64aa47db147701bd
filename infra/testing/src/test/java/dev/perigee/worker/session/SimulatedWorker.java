package dev.perigee.worker.session;

import dev.perigee.worker.session.SessionTransitions.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A worker with one partition: its session by the real table, processes that take their time to
 * end, a journal that is numbered, and a watchdog that outlives it.
 */
final class SimulatedWorker extends SimulatedPart {
    private static final long WATCHDOG = 1_500;
    private static final long PING = 5_000;

    private final List<SimulatedWire> wires = new ArrayList<>();
    private SessionState state = SessionState.initial();
    private long incarnation;
    private boolean processes;
    private boolean excused;
    private long pingedAt;
    private long confirmed;
    private long created;
    private long said;
    private long fed;
    private long acknowledged;

    SimulatedWorker(SimulatedFleet fleet, int index, String name) {
        super(fleet, index, name);
    }

    String incarnation() {
        return name() + "/" + incarnation;
    }

    /** Whether processes of the partition may run. */
    boolean hasProcesses() {
        return processes;
    }

    /**
     * Frozen while its deadline passed, or while it ended its processes: they end when it thaws, or
     * by its watchdog, which a decision record names.
     */
    boolean isExcused() {
        return excused;
    }

    @Override
    void freeze(long time) {
        super.freeze(time);
        var deadline = state.deadline();
        boolean over = deadline != null && at(deadline.toEpochMilli()) <= frozenUntil();
        excused |= processes && (over || state.stage() == SessionStage.CLEARING);
    }

    @Override
    void born() {
        incarnation++;
        state = SessionState.initial();
        processes = false;
        excused = false;
    }

    @Override
    void died() {
        wires.forEach(SimulatedWire::closeAtWorker);
        wires.clear();
        state = SessionState.initial();
        long of = incarnation;
        fleet.after(
                fleet.between(0, WATCHDOG),
                () -> {
                    if (incarnation == of) {
                        processes = false;
                    }
                });
    }

    /** A gateway dials; it hears hello from here. */
    void accept(SimulatedWire wire) {
        wires.add(wire);
        wire.heardAt = fleet.now();
        wire.answeredMs = clockMs();
        long clock = clockMs();
        var own = incarnation();
        wire.toGateway(() -> wire.gateway.hello(wire, own, clock));
    }

    @Override
    void tick() {
        look();
        for (var wire : List.copyOf(wires)) {
            if (fleet.now() - wire.heardAt >= SimulatedFleet.DEAD_AFTER) {
                wire.closeAtWorker();
                closed(wire);
            }
        }
        if (fleet.now() - pingedAt >= PING) {
            pingedAt = fleet.now();
            wires.forEach(this::ping);
        }
        if (state.stage().exists()) {
            fleet.held(confirmed);
            said += fleet.random.nextInt(2);
            feed();
        }
    }

    private void ping(SimulatedWire wire) {
        long sent = clockMs();
        wire.toGateway(() -> wire.toWorker(() -> answered(wire, sent)));
    }

    private void answered(SimulatedWire wire, long sent) {
        wire.answeredMs = sent;
        take(new SessionEvent.Answer(wire, heldBy(wire)));
    }

    private Instant heldBy(SimulatedWire wire) {
        return fleet.has(SimulatedFleet.Mend.RETENTION_FROM_PINGS)
                ? Instant.ofEpochMilli(clockMs()).plus(wire.holds())
                : Instant.ofEpochMilli(clockMs()).plus(SimulatedFleet.LEASE);
    }

    private void feed() {
        if (state.owner() instanceof SimulatedWire wire && said > fed) {
            long to = said;
            fed = to;
            wire.toGateway(() -> wire.gateway.events(wire, to));
        }
    }

    void closed(SimulatedWire wire) {
        if (wires.remove(wire)) {
            take(new SessionEvent.Close(wire));
        }
    }

    void attach(SimulatedWire wire, long epoch, boolean create, long untilMs, long asked) {
        look();
        long until = untilMs;
        if (!fleet.has(SimulatedFleet.Mend.RETENTION_FROM_LEASE)) {
            until = clockMs() + SimulatedFleet.LEASE.toMillis();
        } else if (!fleet.has(SimulatedFleet.Mend.LEASE_BEFORE_CREATING)) {
            until = Math.max(until, clockMs() + 1);
        }
        var claimant = new Claimant(wire, epoch, wire.generation);
        var before = state.owner();
        var hold = new Hold(Instant.ofEpochMilli(until), heldBy(wire));
        var step = take(new SessionEvent.Attach(claimant, create, hold, true));
        if (step.does(SessionAction.AWAIT_CLEARED)) {
            wire.toGateway(() -> wire.gateway.notYet(wire, epoch));
            return;
        }
        var refusal = step.taken().refusal();
        if (refusal != null) {
            boolean again = refusal == SessionRefusal.NOT_NEWER;
            wire.toGateway(
                    () -> {
                        if (again) {
                            wire.gateway.notYet(wire, epoch);
                        } else {
                            wire.gateway.refused(wire, epoch);
                        }
                    });
            return;
        }
        if (step.does(SessionAction.CREATE)) {
            created = epoch;
            said = 0;
            acknowledged = 0;
            processes = true;
            excused = false;
            fleet.created(this);
        }
        if (step.does(SessionAction.TELL_FENCED) && before instanceof SimulatedWire old) {
            long of = step.before().epochs().held();
            old.toGateway(() -> old.gateway.refused(old, of));
        }
        fed = acknowledged;
        note(asked);
        long from = acknowledged;
        var session = incarnation() + "/" + created;
        wire.toGateway(() -> wire.gateway.attached(wire, epoch, session, from));
    }

    void extend(SimulatedWire wire, long epoch, long untilMs, long asked) {
        long until =
                fleet.has(SimulatedFleet.Mend.RETENTION_FROM_LEASE)
                        ? untilMs
                        : clockMs() + SimulatedFleet.LEASE.toMillis();
        var step = take(new SessionEvent.Extend(wire, epoch, Instant.ofEpochMilli(until)));
        if (step.does(SessionAction.EXTEND)) {
            note(asked);
        }
    }

    /** The group confirmed the owner then. */
    private void note(long asked) {
        confirmed = Math.max(confirmed, asked);
    }

    void acknowledge(SimulatedWire wire, long upTo) {
        look();
        var step = take(new SessionEvent.Order(wire, false));
        if (step.does(SessionAction.SERVE) && upTo > acknowledged) {
            fleet.acknowledged(incarnation() + "/" + created, upTo);
            acknowledged = upTo;
        }
    }

    void detach(SimulatedWire wire, long epoch) {
        take(new SessionEvent.Detach(wire, epoch));
    }

    private Step take(SessionEvent event) {
        look();
        return step(event);
    }

    private void look() {
        step(new SessionEvent.Look());
    }

    private Step step(SessionEvent event) {
        var step =
                SessionTransitions.next(
                        state, event, Instant.ofEpochMilli(clockMs()), SimulatedFleet.RETENTION);
        state = step.after();
        if (step.does(SessionAction.CLEAR)) {
            fleet.after(fleet.between(0, SimulatedFleet.GRACE), () -> turn(this::cleared));
        }
        return step;
    }

    private void cleared() {
        if (state.stage() == SessionStage.CLEARING) {
            processes = false;
            step(new SessionEvent.Cleared());
        }
    }
}
