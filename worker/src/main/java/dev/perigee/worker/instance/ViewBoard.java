package dev.perigee.worker.instance;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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
