package dev.perigee.worker.process;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many programs run at the same time on behalf of users, such as package managers,
 * fairly between teams and between the users of one. Of several slots no team holds all, and
 * neither do programs that are configured by their users, since those may wait for what never
 * answers; but where all of a team's slots are held by one of its users for such programs, another
 * of its users may have one that is free. Next is the team with the fewest slots, then its user
 * with the fewest, among equals who was served longest ago, then who came first.
 *
 * <p>Who gives a slot back hands it to the next and wakes that one only; finding it takes one look
 * at each that waits. Thread-safe.
 */
public final class TenantSlots {
    private static final Comparator<Slot> ORDER =
            Comparator.<Slot>comparingInt(slot -> slot.team.held)
                    .thenComparingInt(slot -> slot.person.held)
                    .thenComparingLong(slot -> slot.team.served)
                    .thenComparingLong(slot -> slot.person.served);

    private final ReentrantLock lock = new ReentrantLock();
    private final int count;
    private final Set<Slot> waiting = new LinkedHashSet<>();
    private final Set<Slot> held = new LinkedHashSet<>();

    /** Of each team, by its id, and of each user that holds a slot or waits. */
    private final Map<Object, Share> shares = new HashMap<>();

    private long turn;

    /** So many slots, at least one. */
    public TenantSlots(int count) {
        this.count = count;
    }

    /** What one team or user has. */
    private static final class Share {
        private int present;
        private int held;
        private long served;
    }

    /** One program's; giving it back twice counts once. */
    public final class Slot implements AutoCloseable {
        private final Tenant user;
        private final boolean own;
        private final Share team;
        private final Share person;
        private final Condition granted = lock.newCondition();
        private boolean taken;

        private Slot(Tenant user, boolean own) {
            this.user = user;
            this.own = own;
            this.team = share(user.teamId());
            this.person = share(user);
        }

        @Override
        public void close() {
            lock.lock();
            try {
                leave(this);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits for a slot.
     *
     * @param own whether its user's configuration decides how long it takes
     * @param waits called once, quickly, when there is none at once
     * @return null when there is none within the limit
     */
    public @Nullable Slot acquire(Tenant user, boolean own, Duration limit, Runnable waits)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var slot = new Slot(user, own);
            waiting.add(slot);
            try {
                grant();
                if (!held.contains(slot)) {
                    waits.run();
                }
                long left = limit.toNanos();
                while (!held.contains(slot) && left > 0) {
                    left = slot.granted.awaitNanos(left);
                }
                slot.taken = held.contains(slot);
                return slot.taken ? slot : null;
            } finally {
                if (!slot.taken) {
                    leave(slot); // Also where it was granted to who is interrupted.
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private Share share(Object of) {
        var share = shares.computeIfAbsent(of, _ -> new Share());
        share.present++;
        return share;
    }

    /** Hands out what is free. */
    private void grant() {
        for (var next = next(); next != null; next = next()) {
            waiting.remove(next);
            held.add(next);
            turn++;
            for (var share : new Share[] {next.team, next.person}) {
                share.held++;
                share.served = turn;
            }
            next.granted.signal();
        }
    }

    /** A slot is waited for or held no more; only what was held makes room for another. */
    private void leave(Slot slot) {
        if (waiting.remove(slot)) {
            forget(slot);
        } else if (held.remove(slot)) {
            slot.team.held--;
            slot.person.held--;
            forget(slot);
            grant();
        }
    }

    private void forget(Slot slot) {
        if (--slot.team.present == 0) {
            shares.remove(slot.user.teamId());
        }
        if (--slot.person.present == 0) {
            shares.remove(slot.user);
        }
    }

    private @Nullable Slot next() {
        if (held.size() >= count) {
            return null;
        }
        long ofUsers = held.stream().filter(slot -> slot.own).count();
        Slot next = null;
        for (var slot : waiting) {
            if (may(slot, ofUsers) && (next == null || ORDER.compare(slot, next) < 0)) {
                next = slot;
            }
        }
        return next;
    }

    private boolean may(Slot slot, long ofUsers) {
        int most = Math.max(1, count - 1);
        if (slot.own && ofUsers >= most) {
            return false;
        }
        return slot.team.held < most
                || (!slot.own && inTeam(slot).allMatch(other -> other.own && !isSame(other, slot)));
    }

    private Stream<Slot> inTeam(Slot slot) {
        return held.stream().filter(other -> other.team == slot.team);
    }

    private static boolean isSame(Slot one, Slot other) {
        return one.person == other.person;
    }
}
