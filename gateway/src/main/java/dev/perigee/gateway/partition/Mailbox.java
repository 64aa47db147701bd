package dev.perigee.gateway.partition;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What an owner has to do next, told by any thread. Its size is bounded by what it is about: open
 * records (the feed's limits), events (the session's credit) and their completions; the capacity is
 * only the backstop, at which those who tell have to wait.
 */
final class Mailbox {
    private static final int CAPACITY = 200_000;

    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(CAPACITY);
    private volatile boolean closed;

    /** Hands something over to the owner's thread; without effect once it has ended. */
    void post(Runnable work) {
        if (closed) {
            return;
        }
        try {
            waiting.put(work);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next thing, null when none came in time. */
    @Nullable Runnable take(Duration atMost) throws InterruptedException {
        return waiting.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The next thing, null when there is none now. */
    @Nullable Runnable poll() {
        return waiting.poll();
    }

    void close() {
        closed = true;
        waiting.clear();
    }
}
