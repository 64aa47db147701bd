package dev.perigee.worker.mcp;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deadlines of requests: one thread for those of all clients, which ends when there are none for a
 * while. Nearly all requests are answered long before, so the thread sleeps until the earliest
 * deadline it knew, whether or not that request is still open: neither a request nor its answer
 * wakes it. Moments are rounded up to a grain.
 */
final class RequestDeadlines {
    private static final Logger log = LoggerFactory.getLogger(RequestDeadlines.class);
    private static final long GRAIN_NANOS = Duration.ofMillis(5).toNanos();
    private static final long KEEP_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long LONGEST_NANOS = Duration.ofDays(365).toNanos();
    private static final RequestDeadlines OF_ALL = new RequestDeadlines();

    private final long origin = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition sooner = lock.newCondition();
    private final TreeMap<Long, Set<Deadline>> due = new TreeMap<>();
    private @Nullable Thread thread;
    private long wakesAt;

    RequestDeadlines() {}

    /** Of all clients. */
    static RequestDeadlines ofAll() {
        return OF_ALL;
    }

    /** Something that was put off. */
    final class Deadline {
        private final long grain;
        private final Runnable what;

        private Deadline(long grain, Runnable what) {
            this.grain = grain;
            this.what = what;
        }

        /** Not any more; without effect when it has begun. Any thread. */
        void cancel() {
            lock.lock();
            try {
                remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Does it later, once, unless it is cancelled; any thread.
     *
     * @param what must not wait
     */
    Deadline after(Duration delay, Runnable what) {
        long nanos = Math.clamp(delay.toNanos(), 0, LONGEST_NANOS);
        lock.lock();
        try {
            long grain = Math.ceilDiv(now() + nanos, GRAIN_NANOS);
            var deadline = new Deadline(grain, what);
            due.computeIfAbsent(grain, _ -> new LinkedHashSet<>(2)).add(deadline);
            if (thread == null) {
                thread = Thread.ofPlatform().name("request-deadlines").daemon().start(this::run);
            } else if (grain * GRAIN_NANOS < wakesAt) {
                sooner.signal();
            }
            return deadline;
        } finally {
            lock.unlock();
        }
    }

    /** How many are to come. */
    int size() {
        lock.lock();
        try {
            return due.values().stream().mapToInt(Set::size).sum();
        } finally {
            lock.unlock();
        }
    }

    private void remove(Deadline deadline) {
        var together = due.get(deadline.grain);
        if (together != null && together.remove(deadline) && together.isEmpty()) {
            due.remove(deadline.grain);
        }
    }

    private long now() {
        return System.nanoTime() - origin;
    }

    private void run() {
        for (var next = next(); next != null; next = next()) {
            try {
                next.what.run();
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("Failed to expire a request");
            }
        }
    }

    /** Waits for what is due; null when there was nothing for a while, and the thread ends. */
    private @Nullable Deadline next() {
        lock.lock();
        try {
            while (true) {
                var first = due.firstEntry();
                long left = first == null ? KEEP_NANOS : first.getKey() * GRAIN_NANOS - now();
                if (left <= 0 && first != null) {
                    var deadline = first.getValue().iterator().next();
                    remove(deadline);
                    return deadline;
                }
                wakesAt = now() + left;
                if (sleep(left) && first == null && due.isEmpty()) {
                    thread = null;
                    return null;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** True when the time is over. */
    @SuppressWarnings("WaitNotInLoop") // The one who calls it loops.
    private boolean sleep(long nanos) {
        try {
            return sooner.awaitNanos(nanos) <= 0;
        } catch (InterruptedException e) {
            return false; // Nobody interrupts it.
        }
    }
}
