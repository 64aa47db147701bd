package dev.perigee.worker.session;

import dev.perigee.gateway.inbound.TenureLease;
import dev.perigee.gateway.link.ClockReading;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.SafetyWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An owner, its worker, the group's coordinator and a successor that does not reach the worker, in
 * simulated milliseconds. The decisions are the real ones; messages take random times, links and
 * the way to the broker are cut and heal, the owner is frozen, each from a seed.
 */
final class LeaseTimeline {
    static final Duration LEASE = Duration.ofSeconds(75);
    static final Duration RETENTION = Duration.ofSeconds(30);
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);
    private static final long GRACE = 3_000;
    private static final long DEAD_AFTER = 10_000;
    private static final long END = 600_000;

    private final SplittableRandom random;
    private final SafetyWindow window;
    private final boolean othersCount;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SessionRun session = new SessionRun(RETENTION);
    private final TenureLease lease;
    private final long ownersClock;
    private final long workersClock;
    private final long successorsClock;
    private long now;
    private long order;
    private long frozenUntil;
    private boolean linkUp = true;
    private boolean brokerUp = true;
    private boolean abandoned;
    private boolean created;
    private boolean removed;
    private long lastContact;
    private long generation;
    private long attachedGeneration;
    private @Nullable Connection connection;
    private long endedAt = Long.MAX_VALUE;
    private long startsElsewhere = Long.MAX_VALUE;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    /** One generation of the link. */
    private static final class Connection {
        private final long generation;
        private boolean cut;
        private ClockReading clock;

        Connection(long generation, ClockReading clock) {
            this.generation = generation;
            this.clock = clock;
        }
    }

    /**
     * @param othersCount false to forget, as a successor, that another gateway had the partition
     */
    LeaseTimeline(long seed, SafetyWindow window, boolean othersCount) {
        this.random = new SplittableRandom(seed);
        this.window = window;
        this.othersCount = othersCount;
        this.ownersClock = random.nextLong(-1_000_000, 1_000_000);
        this.workersClock = random.nextLong(0, 1_000_000);
        this.successorsClock = random.nextLong(0, 1_000_000);
        this.lease = new TenureLease(SESSION_TIMEOUT, this::ownersNanos);
    }

    /** Runs; the time between the end of the last process here and the first elsewhere. */
    long gapMs() {
        lease.heard(ownersNanos());
        connect();
        every(1_000, this::ask);
        every(250, this::expireIfDue);
        every(5_000, this::report);
        every(50, this::expire);
        every(100, this::coordinate);
        faults();
        while (!events.isEmpty() && now < END) {
            var next = events.remove();
            now = next.at();
            next.action().run();
        }
        if (startsElsewhere == Long.MAX_VALUE || !created) {
            return Long.MAX_VALUE;
        }
        return endedAt == Long.MAX_VALUE ? Long.MIN_VALUE : startsElsewhere - endedAt - GRACE;
    }

    private void faults() {
        for (long at = between(1_000, 60_000); at < END / 2; at += between(1_000, 60_000)) {
            switch (random.nextInt(5)) {
                case 0 -> after(at, () -> cutLink(between(100, 30_000)));
                case 1, 2 -> {
                    after(at, () -> brokerUp = false);
                    after(at + between(100, 120_000), () -> brokerUp = true);
                }
                case 3 -> after(at, () -> frozenUntil = now + between(100, 40_000));
                default -> after(at, () -> removed |= random.nextInt(4) == 0);
            }
        }
        // In the end the owner and its worker are alone.
        after(END / 2, () -> brokerUp = false);
    }

    private void cutLink(long time) {
        linkUp = false;
        after(time, () -> linkUp = true);
        var lost = connection;
        if (lost != null) {
            lost.cut = true;
            after(between(0, DEAD_AFTER), () -> noticed(lost));
            after(between(0, DEAD_AFTER), () -> ownersTurn(() -> reconnect(lost)));
        }
    }

    private void noticed(Connection lost) {
        expire();
        if (session.exists() && attachedGeneration == lost.generation) {
            session.detach(workersNow());
            attachedGeneration = 0;
        }
    }

    private void reconnect(Connection lost) {
        if (connection == lost) {
            connection = null;
        }
        if (connection == null && !linkUp) {
            after(200, () -> ownersTurn(() -> reconnect(lost)));
        } else if (connection == null) {
            connect();
        }
    }

    private void connect() {
        long read = workersNow().toEpochMilli();
        after(
                delay(),
                () ->
                        ownersTurn(
                                () -> {
                                    var made =
                                            new Connection(
                                                    ++generation,
                                                    new ClockReading(read, ownersNanos()));
                                    connection = made;
                                    if (!abandoned) {
                                        long until = made.clock.untilMs(lease.heardAt(), LEASE);
                                        after(delay(), () -> attach(made, until));
                                    }
                                }));
    }

    private void attach(Connection via, long until) {
        expire();
        if (via.cut || endedAt != Long.MAX_VALUE) {
            return;
        }
        var claimant = SessionRun.claimant("owner", 1, via.generation);
        var step = session.attach(claimant, !created, Instant.ofEpochMilli(until), workersNow());
        if (step.taken().refusal() == null) {
            created = true;
            attachedGeneration = via.generation;
        }
    }

    private void report() {
        ownersTurn(
                () -> {
                    var via = connection;
                    if (via == null || abandoned) {
                        return;
                    }
                    long until = via.clock.untilMs(lease.heardAt(), LEASE);
                    after(delay(), () -> extend(via, until));
                });
    }

    private void extend(Connection via, long until) {
        expire();
        if (via.cut) {
            return;
        }
        if (attachedGeneration == via.generation) {
            session.extend(Instant.ofEpochMilli(until), workersNow());
        }
        long read = workersNow().toEpochMilli();
        after(delay(), () -> ownersTurn(() -> via.clock = new ClockReading(read, ownersNanos())));
    }

    private void ask() {
        ownersTurn(
                () -> {
                    if (abandoned || !brokerUp) {
                        return;
                    }
                    long asked = lease.now();
                    after(
                            delay(),
                            () -> {
                                if (brokerUp && startsElsewhere == Long.MAX_VALUE && !removed) {
                                    lastContact = now;
                                    after(delay(), () -> ownersTurn(() -> answered(asked)));
                                }
                            });
                });
    }

    private void answered(long asked) {
        if (brokerUp) {
            lease.heard(asked);
        }
    }

    private void expireIfDue() {
        ownersTurn(() -> abandoned |= !lease.isHeld());
    }

    /** The group gives the partition to the successor, which learns it a while later. */
    private void coordinate() {
        boolean over = removed || now - lastContact > SESSION_TIMEOUT.toMillis();
        if (over && startsElsewhere == Long.MAX_VALUE) {
            removed = true;
            var gained = Instant.ofEpochMilli(now + delay() + successorsClock);
            var held = othersCount ? LastHeld.gained(gained) : new LastHeld(null, gained);
            startsElsewhere =
                    window.surelyDeadAt(held, null, RETENTION).toEpochMilli() - successorsClock;
        }
    }

    private void expire() {
        if (created && session.expire(workersNow())) {
            endedAt = now;
        }
    }

    /** Does it when the owner is not frozen. */
    private void ownersTurn(Runnable action) {
        if (now < frozenUntil) {
            after(frozenUntil - now, () -> ownersTurn(action));
        } else {
            action.run();
        }
    }

    private void every(long period, Runnable action) {
        after(
                period,
                () -> {
                    action.run();
                    every(period, action);
                });
    }

    private void after(long time, Runnable action) {
        events.add(new Event(now + time, ++order, action));
    }

    /** Mostly short; sometimes as long as a connection lives without a sign of life. */
    private long delay() {
        return random.nextInt(20) == 0 ? between(0, DEAD_AFTER) : between(0, 50);
    }

    private long between(long least, long most) {
        return random.nextLong(least, most);
    }

    private long ownersNanos() {
        return (now + ownersClock) * 1_000_000;
    }

    private Instant workersNow() {
        return Instant.ofEpochMilli(now + workersClock);
    }
}
