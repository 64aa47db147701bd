package dev.perigee.worker.session;

import dev.perigee.gateway.placement.SafetyWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Gateways, workers and a group's coordinator with one partition, in simulated milliseconds on one
 * thread, and what must hold of them. The decisions are the real ones: the worker's table of
 * sessions, the gateway's lease, link and choice of a host. Everything else comes from a seed: how
 * long messages take, which directed pairs and sets of parts are cut, who is frozen, killed,
 * restarted or overtaken by another owner, and how clocks differ.
 */
final class SimulatedFleet {
    /** What can be taken out, to see that the simulation finds it missing. */
    enum Mend {
        /** A claim whose lease is over creates no session. */
        LEASE_BEFORE_CREATING,
        /** Retention counts from the end of the lease, not from what was heard last. */
        RETENTION_FROM_LEASE,
        /** A successor waits until the lease of another owner is over. */
        WAIT_FOR_OTHERS,
        /** A host whose record may have been written is not chosen anew. */
        HOST_WRITTEN_TO_THE_END,
        /** Retention counts from the last ping that was answered, not from a loss noticed late. */
        RETENTION_FROM_PINGS
    }

    static final Duration LEASE = Duration.ofSeconds(75);
    static final Duration RETENTION = Duration.ofSeconds(30);
    static final long GRACE = 3_000;
    static final long DEAD_AFTER = 10_000;
    static final SafetyWindow WINDOW =
            new SafetyWindow(
                    Duration.ofMillis(DEAD_AFTER), LEASE, RETENTION, Duration.ofSeconds(5));
    private static final long FAULTS_END = 300_000;
    private static final long HEALED = 450_000;
    private static final long END = 650_000;

    /** Simulated time of one run. */
    static final Duration LENGTH = Duration.ofMillis(END);

    /** Clocks differ in pace, too. */
    private static final long TOLERANCE = 500;

    final SplittableRandom random;
    final SimulatedCoordinator coordinator;
    final List<SimulatedGateway> gateways = new ArrayList<>();
    final List<SimulatedWorker> workers = new ArrayList<>();
    private final List<SimulatedPart> parts = new ArrayList<>();
    private final Set<Mend> without;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<Long, Long> cutUntil = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long now;
    private long order;
    private long takeovers;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    SimulatedFleet(long seed, Set<Mend> without) {
        this.random = new SplittableRandom(seed);
        this.without = without;
        this.coordinator = new SimulatedCoordinator(this);
        parts.add(coordinator);
        for (int i = 1; i <= 2; i++) {
            workers.add(new SimulatedWorker(this, parts.size(), "w-" + i));
            parts.add(workers.getLast());
        }
        for (int i = 1; i <= 3; i++) {
            gateways.add(new SimulatedGateway(this, parts.size(), "g-" + i));
            parts.add(gateways.getLast());
        }
    }

    /** Runs to the end; what did not hold. */
    List<String> run() {
        parts.forEach(SimulatedPart::start);
        for (long at = between(1_000, 30_000); at < FAULTS_END; at += between(500, 40_000)) {
            after(at, this::fault);
        }
        if (random.nextBoolean()) {
            after(FAULTS_END, this::partOwnerAndWorker);
        }
        while (now < END && violations.isEmpty()) {
            var next = events.remove();
            now = next.at();
            next.action().run();
        }
        if (violations.isEmpty() && !coordinator.isServed()) {
            violations.add("nobody serves the partition after all is healed");
        }
        return violations;
    }

    private void fault() {
        switch (random.nextInt(10)) {
            case 0, 1 -> cut(any(), any(), between(100, 60_000));
            case 2, 3 -> part(random.nextInt(1, 1 << parts.size()), between(1_000, 120_000));
            case 4 -> any().freeze(between(100, random.nextInt(3) == 0 ? 150_000 : 40_000));
            case 5 -> any().kill(between(1_600, 60_000));
            case 6, 7 -> coordinator.rebalance();
            case 8 -> freezeThenCut();
            default -> gateways.get(random.nextInt(gateways.size())).resetLinks();
        }
    }

    private SimulatedPart any() {
        return parts.get(random.nextInt(parts.size()));
    }

    /** One set of parts hears nothing of the others, or is not heard, or both. */
    private void part(int set, long time) {
        int directions = random.nextInt(1, 4);
        for (var one : parts) {
            for (var other : parts) {
                boolean inside = (set >> one.index() & 1) == 1;
                if (inside && (set >> other.index() & 1) == 0) {
                    if ((directions & 1) == 1) {
                        cut(one, other, time);
                    }
                    if ((directions & 2) == 2) {
                        cut(other, one, time);
                    }
                }
            }
        }
    }

    /** A worker thaws, and hears no gateway any more, or is not heard, or both. */
    private void freezeThenCut() {
        var worker = workers.get(random.nextInt(workers.size()));
        long frozen = between(500, 45_000);
        long time = between(1_000, 120_000);
        int directions = random.nextInt(1, 4);
        worker.freeze(frozen);
        after(
                frozen,
                () -> {
                    for (var gateway : gateways) {
                        if ((directions & 1) == 1) {
                            cut(gateway, worker, time);
                        }
                        if ((directions & 2) == 2) {
                            cut(worker, gateway, time);
                        }
                    }
                });
    }

    private void partOwnerAndWorker() {
        int set = 0;
        for (var gateway : gateways) {
            set |= gateway.isServing() ? 1 << gateway.index() : 0;
        }
        for (var worker : workers) {
            set |= worker.hasProcesses() ? 1 << worker.index() : 0;
        }
        if (set != 0) {
            part(set, HEALED - FAULTS_END);
        }
    }

    private void cut(SimulatedPart from, SimulatedPart to, long time) {
        cutUntil.merge(from.index() * 100L + to.index(), now + time, Math::max);
    }

    boolean isUp(SimulatedPart from, SimulatedPart to) {
        return cutUntil.getOrDefault(from.index() * 100L + to.index(), 0L) <= now;
    }

    /** A message that is lost when its way is cut. */
    void send(SimulatedPart from, SimulatedPart to, Runnable arrival) {
        after(
                delay(),
                () -> {
                    if (isUp(from, to)) {
                        to.turn(arrival);
                    }
                });
    }

    boolean has(Mend mend) {
        return !without.contains(mend);
    }

    /** A worker created the session: nobody else may run its processes. */
    void created(SimulatedWorker by) {
        takeovers++;
        for (var other : workers) {
            if (other != by && other.hasProcesses() && !other.isExcused()) {
                violations.add(
                        "at %d ms %s and %s run processes".formatted(now, by.name(), other.name()));
            }
        }
    }

    /** A worker has a session, for an owner that the group confirmed last then. */
    void held(long confirmed) {
        long most = confirmed + LEASE.toMillis() + RETENTION.toMillis() + TOLERANCE;
        if (now > most) {
            violations.add("at %d ms a session lingers".formatted(now));
        }
    }

    /** A worker forgets what an owner acknowledged. */
    void acknowledged(String session, long upTo) {
        if (coordinator.published(session) < upTo) {
            violations.add("at %d ms %s lost %d".formatted(now, session, upTo));
        }
    }

    /** Sessions that were created. */
    long takeovers() {
        return takeovers;
    }

    long now() {
        return now;
    }

    void after(long time, Runnable action) {
        events.add(new Event(now + time, ++order, action));
    }

    /** Mostly short, sometimes as long as a connection lives without a sign of life. */
    long delay() {
        return random.nextInt(30) == 0 ? between(0, DEAD_AFTER) : between(0, 50);
    }

    /** Of a connection that is not cut: in order, so that one slow message holds up the others. */
    long linkDelay() {
        return random.nextInt(20) > 0
                ? between(0, 50)
                : between(0, random.nextInt(20) > 0 ? 1_000 : DEAD_AFTER);
    }

    long between(long least, long most) {
        return random.nextLong(least, most);
    }
}
