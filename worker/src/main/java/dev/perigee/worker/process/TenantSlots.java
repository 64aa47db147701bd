package dev.perigee.worker.process;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
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
 * with the fewest, among equals who was served longest ago, then who came first. Thread-safe.
 */
public final class TenantSlots {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final int count;
    private final Set<Slot> waiting = new LinkedHashSet<>();
    private final Set<Slot> held = new LinkedHashSet<>();

    /** By team and by user, when they were served last; of those that hold a slot or wait. */
    private final Map<Object, Long> turns = new HashMap<>();

    private long turn;

    /** So many slots, at least one. */
    public TenantSlots(int count) {
        this.count = count;
    }

    /** One program's; giving it back twice counts once. */
    public final class Slot implements AutoCloseable {
        private final Tenant user;
        private final boolean own;

        private Slot(Tenant user, boolean own) {
            this.user = user;
            this.own = own;
        }

        private String team() {
            return user.teamId();
        }

        @Override
        public void close() {
            lock.lock();
            try {
                held.remove(this);
                forgetOthers();
                changed.signalAll();
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
        var slot = new Slot(user, own);
        long left = limit.toNanos();
        lock.lockInterruptibly();
        try {
            waiting.add(slot);
            if (next() != slot) {
                waits.run();
            }
            while (next() != slot) {
                if (left <= 0) {
                    return null;
                }
                left = changed.awaitNanos(left);
            }
            held.add(slot);
            turns.put(user.teamId(), ++turn);
            turns.put(user, turn);
            return slot;
        } finally {
            waiting.remove(slot);
            forgetOthers();
            changed.signalAll();
            lock.unlock();
        }
    }

    private @Nullable Slot next() {
        return held.size() >= count
                ? null
                : waiting.stream()
                        .filter(this::may)
                        .min(
                                Comparator.comparingLong(this::ofTeam)
                                        .thenComparingLong(this::ofUser)
                                        .thenComparingLong(slot -> served(slot.team()))
                                        .thenComparingLong(slot -> served(slot.user)))
                        .orElse(null);
    }

    private long served(Object who) {
        return turns.getOrDefault(who, 0L);
    }

    private void forgetOthers() {
        var present = new HashSet<Object>();
        Stream.concat(held.stream(), waiting.stream())
                .forEach(
                        slot -> {
                            present.add(slot.team());
                            present.add(slot.user);
                        });
        turns.keySet().retainAll(present);
    }

    private boolean may(Slot slot) {
        long most = Math.max(1, count - 1);
        if (slot.own && held.stream().filter(other -> other.own).count() >= most) {
            return false;
        }
        return ofTeam(slot) < most
                || (!slot.own && inTeam(slot).allMatch(other -> other.own && !isSame(other, slot)));
    }

    private Stream<Slot> inTeam(Slot slot) {
        return held.stream().filter(other -> other.team().equals(slot.team()));
    }

    private static boolean isSame(Slot one, Slot other) {
        return one.user.equals(other.user);
    }

    private long ofTeam(Slot slot) {
        return inTeam(slot).count();
    }

    private long ofUser(Slot slot) {
        return held.stream().filter(other -> isSame(other, slot)).count();
    }
}
