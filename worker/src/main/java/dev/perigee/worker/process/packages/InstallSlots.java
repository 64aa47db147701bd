package dev.perigee.worker.process.packages;

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
 * Bounds how many package managers run at the same time, fairly between teams. Of several slots no
 * team holds all, and neither do installations that are configured by their users, since those may
 * wait for a registry that never answers. Next is the team with the fewest slots, among equals the
 * one that was served longest ago, then who came first. Thread-safe.
 */
final class InstallSlots {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final int count;
    private final Set<Slot> waiting = new LinkedHashSet<>();
    private final Set<Slot> held = new LinkedHashSet<>();

    /** By team, when it was served last; of those that hold a slot or wait. */
    private final Map<String, Long> turns = new HashMap<>();

    private long turn;

    InstallSlots(int count) {
        this.count = count;
    }

    /** One installation's; giving it back twice counts once. */
    final class Slot implements AutoCloseable {
        private final String team;
        private final boolean own;

        private Slot(String team, boolean own) {
            this.team = team;
            this.own = own;
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
     * @param own whether its user's configuration decides what is installed from where
     * @param waits called once, quickly, when there is none at once
     * @return null when there is none within the limit
     */
    @Nullable Slot acquire(String team, boolean own, Duration limit, Runnable waits)
            throws InterruptedException {
        var slot = new Slot(team, own);
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
            turns.put(team, ++turn);
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
                                        .thenComparingLong(
                                                slot -> turns.getOrDefault(slot.team, 0L)))
                        .orElse(null);
    }

    private void forgetOthers() {
        turns.keySet()
                .removeIf(
                        team ->
                                Stream.concat(held.stream(), waiting.stream())
                                        .noneMatch(slot -> slot.team.equals(team)));
    }

    private boolean may(Slot slot) {
        long most = Math.max(1, count - 1);
        return ofTeam(slot) < most
                && (!slot.own || held.stream().filter(other -> other.own).count() < most);
    }

    private long ofTeam(Slot slot) {
        return held.stream().filter(other -> other.team.equals(slot.team)).count();
    }
}
