package dev.perigee.worker.session;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Signal that a gateway has acknowledged entries, for who waits until enough are: a draining
 * worker, a departing session. Safe for use by any thread; a wait has a limit.
 */
final class AcknowledgementSignal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition happened = lock.newCondition();
    private long count;

    /** Something was acknowledged. Callers may hold a partition's lock. */
    void happened() {
        lock.lock();
        try {
            count++;
            happened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until enough was acknowledged; false when the time was over first.
     *
     * @param enough asked without this lock, since it takes the partitions'
     */
    boolean await(BooleanSupplier enough, Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            long before = count();
            if (enough.getAsBoolean()) {
                return true;
            }
            if (!awaitNext(before, deadline)) {
                return false;
            }
        }
    }

    private long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitNext(long before, long deadline) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (count == before) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                happened.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
