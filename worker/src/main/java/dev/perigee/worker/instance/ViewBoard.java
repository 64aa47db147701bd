package dev.perigee.worker.instance;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Current view of an instance: its supervisor publishes, calls wait for a change, with a deadline.
 * Safe for use by any thread.
 */
final class ViewBoard {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile @Nullable View current;

    /** Null until the first configuration was looked at. */
    @Nullable View current() {
        return current;
    }

    void publish(View view) {
        lock.lock();
        try {
            current = view;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the view is as asked for.
     *
     * @param reached asked again when another view is published, and at each {@link #wake}; of null
     *     before the first
     * @return false when so much time has passed
     */
    boolean await(Predicate<@Nullable View> reached, Duration atMost) throws InterruptedException {
        long left = atMost.toNanos();
        lock.lockInterruptibly();
        try {
            while (!reached.test(current)) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Something else changed that is waited for. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there is another view than the one seen.
     *
     * @param untilNanos in terms of {@link System#nanoTime}
     * @return false when the time came first
     */
    @SuppressWarnings("ReferenceEquality") // Another view, not one that says something else.
    boolean awaitOther(@Nullable View seen, long untilNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (current == seen) {
                long left = untilNanos - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                var _ = changed.await(left, TimeUnit.NANOSECONDS);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
