package dev.perigee.worker.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of large entries all journals of the worker may hold together. It never refuses,
 * since a result cannot be made again; while it is exhausted no new calls are accepted.
 */
final class LargeBudget {
    private final long limitBytes;
    private final AtomicLong used = new AtomicLong();

    LargeBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    void take(long bytes) {
        used.addAndGet(bytes);
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    boolean exhausted() {
        return used.get() >= limitBytes;
    }

    long usedBytes() {
        return used.get();
    }
}
