package dev.perigee.worker.instance;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls of one instance that were accepted and are not answered yet. Safe for use by any thread.
 */
final class RunningCalls {
    /** A call that is not answered yet. */
    interface RunningCall {
        /** Whether it is the call of this request; whose it is its caller knows. */
        boolean isOf(String requestId);

        /** Somebody answers a question of the server. */
        CallInput.Verdict respond(String inputId, RawJson responses);

        /** Whether a cancellation is of it. */
        boolean matches(ToolOrder.Cancel cancel);

        /**
         * Cancels the call from another thread; the server is notified.
         *
         * @return false when another worker goes on with it
         */
        boolean cancel();
    }

    private final ConcurrentHashMap<RunningCall, Boolean> calls = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();

    int count() {
        return calls.size();
    }

    void add(RunningCall call) {
        calls.put(call, Boolean.TRUE);
    }

    void remove(RunningCall call) {
        calls.remove(call);
        if (calls.isEmpty()) {
            lock.lock();
            try {
                none.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    List<RunningCall> all() {
        return new ArrayList<>(calls.keySet());
    }

    /** Waits until all are answered, so long at most. */
    void awaitNone(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        lock.lockInterruptibly();
        try {
            while (!calls.isEmpty()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                var _ = none.await(left, TimeUnit.NANOSECONDS);
            }
        } finally {
            lock.unlock();
        }
    }
}
