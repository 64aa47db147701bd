package dev.perigee.worker.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limit of the processes of a user and of a team that are awake on a worker. A start beyond it
 * takes the place of an idle server, which goes dormant: one of the same user, or at the team's
 * limit one of that user of the team who has most awake; of those the one that is idle for longest.
 * Without an idle one the start waits, bounded by its caller, and is then refused with the reason.
 * Any thread.
 */
final class AwakeServers {
    /** A server that answered just now is likely to be asked again. */
    static final Duration IDLE = Duration.ofSeconds(1);

    private final AwakeLimits limits;
    private final Supplier<Instant> clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Place> taken = new LinkedHashSet<>();

    AwakeServers(AwakeLimits limits, Supplier<Instant> clock) {
        this.limits = limits;
        this.clock = clock;
    }

    /** An awake server that may go dormant. */
    interface Sleeper {
        /** Since when it is idle; null while it is in use, or cannot go dormant. */
        @Nullable Instant idleSince();

        /** Lets it go dormant if it is still unused; returns at once. */
        void sleep();
    }

    /** The place of one instance, whatever its processes; taken or not. */
    final class Place {
        private final StartQueue.Owner owner;
        private final Sleeper sleeper;

        private Place(StartQueue.Owner owner, Sleeper sleeper) {
            this.owner = owner;
            this.sleeper = sleeper;
        }

        /**
         * Takes the place, if it is not taken already.
         *
         * @return why it cannot be had so soon, for people; null when it is taken
         */
        @Nullable String take(Duration wait) throws InterruptedException {
            long deadline = System.nanoTime() + wait.toNanos();
            lock.lockInterruptibly();
            try {
                while (true) {
                    var full = taken.contains(this) ? null : full(owner);
                    if (full == null) {
                        taken.add(this);
                        return null;
                    }
                    long left = deadline - System.nanoTime();
                    if (left <= 0) {
                        return full.message();
                    }
                    letOneSleep(full, owner);
                    var _ = changed.await(Math.min(left, IDLE.toNanos()), TimeUnit.NANOSECONDS);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Gives the place back; also where it is not taken. */
        void release() {
            lock.lock();
            try {
                if (taken.remove(this)) {
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** A place of an instance that has none yet. */
    Place place(StartQueue.Owner owner, Sleeper sleeper) {
        return new Place(owner, sleeper);
    }

    /** The limit that is in the way of one more. */
    private record Full(boolean user, int allowed) {
        String message() {
            return "%s has %d servers awake on this worker, and none of them is idle: %s is %d"
                    .formatted(
                            user ? "The user" : "The team",
                            allowed,
                            user ? "limits.user.awake" : "limits.team.awake",
                            allowed);
        }
    }

    private record Idle(Place place, Instant since) {}

    private void letOneSleep(Full full, StartQueue.Owner owner) {
        var before = clock.get().minus(IDLE);
        taken.stream()
                .filter(
                        place ->
                                full.user()
                                        ? place.owner.equals(owner)
                                        : place.owner.team().equals(owner.team()))
                .map(this::idle)
                .filter(Objects::nonNull)
                .filter(idle -> idle.since().isBefore(before))
                .min(
                        Comparator.<Idle>comparingLong(idle -> -ofUser(idle.place().owner))
                                .thenComparing(Idle::since))
                .ifPresent(idle -> idle.place().sleeper.sleep());
    }

    private @Nullable Idle idle(Place place) {
        var since = place.sleeper.idleSince();
        return since == null ? null : new Idle(place, since);
    }

    private @Nullable Full full(StartQueue.Owner owner) {
        if (ofUser(owner) >= limits.perUser()) {
            return new Full(true, limits.perUser());
        }
        long ofTeam =
                taken.stream().filter(place -> place.owner.team().equals(owner.team())).count();
        return ofTeam >= limits.perTeam() ? new Full(false, limits.perTeam()) : null;
    }

    private long ofUser(StartQueue.Owner owner) {
        return taken.stream().filter(place -> place.owner.equals(owner)).count();
    }
}
