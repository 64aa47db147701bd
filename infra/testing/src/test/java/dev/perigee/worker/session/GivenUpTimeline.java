package dev.perigee.worker.session;

import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.SafetyWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * An owner and its worker in simulated milliseconds, whose link is cut again and again, in either
 * direction, and in the end for good: then the owner has its partition served elsewhere. The
 * decisions are the real ones, the rest comes from a seed.
 */
final class GivenUpTimeline {
    private static final long GRACE = 3_000;
    private static final long DEAD_AFTER = 10_000;
    private static final long PING = 5_000;
    private static final long LOOK = 250;
    private static final long RECOVERY = 25_000;
    private static final Duration LEASE_LEFT = Duration.ofHours(1);

    private final SplittableRandom random;
    private final SafetyWindow window;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SessionRun session = new SessionRun(LeaseTimeline.RETENTION);
    private final long workersClock;
    private long now;
    private long order;
    private boolean towardsWorker = true;
    private boolean towardsGateway = true;
    private long generation;
    private long heldUntil;
    private long lostAt = Long.MAX_VALUE;
    private long endedAt = Long.MAX_VALUE;
    private long attachedGeneration;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    private static final class Connection {
        private final long generation;
        private long pongAt;
        private long heardAt;
        private long arrivesNext;
        private boolean openHere = true;
        private boolean openThere = true;

        Connection(long generation, long now) {
            this.generation = generation;
            this.pongAt = now;
            this.heardAt = now;
        }
    }

    GivenUpTimeline(long seed, SafetyWindow window) {
        this.random = new SplittableRandom(seed);
        this.window = window;
        this.workersClock = random.nextLong(0, 1_000_000);
    }

    /** Runs; the time between the end of the last process here and the first elsewhere. */
    long gapMs() {
        open();
        long end = between(1_000, 120_000);
        for (long at = between(500, 20_000); at < end; at += between(500, 20_000)) {
            long healed = at + between(10, 12_000);
            boolean one = random.nextBoolean();
            boolean other = !one || random.nextBoolean();
            after(at, () -> cut(one, other));
            after(healed, () -> cut(false, false));
        }
        after(end, () -> cut(true, random.nextBoolean()));
        after(end + between(0, 3_000), () -> cut(true, true));
        lookForTheEnd();
        while (now < end + 120_000) {
            var next = events.remove();
            now = next.at();
            if (now > end + 3_000) {
                cut(true, true);
            }
            next.action().run();
        }
        if (endedAt == Long.MAX_VALUE) {
            return attachedGeneration == 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        var held = LastHeld.gained(Instant.EPOCH).byThisOnly().until(at(heldUntil));
        long elsewhere =
                window.surelyDeadAt(held, at(heldUntil), LeaseTimeline.RETENTION).toEpochMilli();
        return Math.max(elsewhere, lostAt) - endedAt - GRACE;
    }

    private void cut(boolean worker, boolean gateway) {
        towardsWorker = !worker;
        towardsGateway = !gateway;
    }

    private void open() {
        if (!towardsWorker || !towardsGateway) {
            if (now - heldUntil >= RECOVERY) {
                lostAt = Math.min(lostAt, now);
            } else {
                after(100, this::open);
            }
            return;
        }
        var opened = new Connection(++generation, now);
        send(opened, () -> attach(opened));
        ping(opened);
        look(opened);
        lookThere(opened);
    }

    /** What is sent arrives in order, or not at all while the way is cut. */
    private void send(Connection via, Runnable arrival) {
        via.arrivesNext = Math.max(via.arrivesNext, now + delay());
        long at = via.arrivesNext - now;
        after(
                at,
                () -> {
                    if (towardsWorker && via.openThere) {
                        via.heardAt = now;
                        arrival.run();
                    }
                });
    }

    private void attach(Connection via) {
        expire();
        if (endedAt != Long.MAX_VALUE) {
            return;
        }
        var claimant = SessionRun.claimant("owner", 1, via.generation);
        var leaseEnd = workersNow().plus(LEASE_LEFT);
        if (session.attach(claimant, true, leaseEnd, workersNow()).taken().refusal() == null) {
            attachedGeneration = via.generation;
        }
    }

    private void ping(Connection via) {
        if (via.openHere) {
            send(via, () -> pong(via));
            after(PING, () -> ping(via));
        }
    }

    private void pong(Connection via) {
        after(
                delay(),
                () -> {
                    if (towardsGateway && via.openHere) {
                        via.pongAt = now;
                    }
                });
    }

    /** The gateway gives a connection up without pongs, and sometimes for no reason. */
    private void look(Connection via) {
        if (now - via.pongAt < DEAD_AFTER && random.nextInt(400) > 0) {
            after(LOOK, () -> look(via));
            return;
        }
        via.openHere = false;
        heldUntil = now;
        send(via, () -> closedThere(via));
        open();
    }

    private void lookThere(Connection via) {
        if (!via.openThere) {
            return;
        }
        if (now - via.heardAt >= DEAD_AFTER) {
            closedThere(via);
        } else {
            after(LOOK, () -> lookThere(via));
        }
    }

    private void closedThere(Connection via) {
        via.openThere = false;
        expire();
        if (session.exists() && attachedGeneration == via.generation) {
            session.detach(workersNow());
            attachedGeneration = 0;
        }
    }

    private void lookForTheEnd() {
        expire();
        after(LOOK, this::lookForTheEnd);
    }

    private void expire() {
        if (session.expire(workersNow())) {
            endedAt = now;
        }
    }

    private void after(long time, Runnable action) {
        events.add(new Event(now + time, ++order, action));
    }

    private long delay() {
        return random.nextInt(20) == 0 ? between(0, 1_000) : between(0, 50);
    }

    private long between(long least, long most) {
        return random.nextLong(least, most);
    }

    private static Instant at(long ms) {
        return Instant.ofEpochMilli(ms);
    }

    private Instant workersNow() {
        return Instant.ofEpochMilli(now + workersClock);
    }
}
