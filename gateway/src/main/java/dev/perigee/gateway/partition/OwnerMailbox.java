package dev.perigee.gateway.partition;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Work queue of an owner, first in first out, filled by any thread. Its size is bounded by its
 * content: open records (the feed's limits), events (the session's credit) and their completions;
 * the capacity is only the backstop, at which producers block.
 *
 * <p>Work without a waiting caller does not wake the owner: it runs with the next entry, or a few
 * milliseconds later.
 */
final class OwnerMailbox {
    private static final int CAPACITY = 200_000;
    private static final long SOON_NANOS = Duration.ofMillis(5).toNanos();

    private final Alarm alarm;
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(CAPACITY);
    private final AtomicBoolean wakesSoon = new AtomicBoolean();
    private volatile @Nullable Thread sleeper;
    private volatile boolean rang;
    private volatile boolean closed;
    private boolean armed;
    private long armedFor;

    OwnerMailbox(Alarm alarm) {
        this.alarm = alarm;
    }

    /** Hands something over to the owner's thread; without effect once it has ended. */
    void post(Runnable work) {
        if (put(work)) {
            wake();
        }
    }

    /** The same, for what may be done a few milliseconds later. */
    void postSoon(Runnable work) {
        if (put(work) && sleeper != null && wakesSoon.compareAndSet(false, true)) {
            alarm.after(
                    SOON_NANOS,
                    () -> {
                        wakesSoon.set(false);
                        wake();
                    });
        }
    }

    private boolean put(Runnable work) {
        if (closed) {
            return false;
        }
        try {
            waiting.put(work);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * The next thing; null when none came in time or, now and then, sooner, and at once when it is
     * closed. For the owner.
     */
    @Nullable Runnable take(Duration atMost) throws InterruptedException {
        var work = waiting.poll();
        if (work != null || !atMost.isPositive()) {
            return work;
        }
        arm(System.nanoTime() + atMost.toNanos());
        sleeper = Thread.currentThread();
        try {
            // Whoever puts something in from here on sees the sleeper.
            while ((work = waiting.poll()) == null && !rang && !closed) {
                LockSupport.park(this);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            return work;
        } finally {
            sleeper = null;
            if (rang) {
                rang = false;
                armed = false;
            }
        }
    }

    /**
     * An alarm that turns out to be too early costs a look at the timers, and is not taken back.
     */
    private void arm(long dueNanos) {
        if (!armed || dueNanos - armedFor < 0) {
            armed = true;
            armedFor = dueNanos;
            alarm.after(
                    Math.max(0, dueNanos - System.nanoTime()),
                    () -> {
                        rang = true;
                        wake();
                    });
        }
    }

    private void wake() {
        var asleep = sleeper;
        if (asleep != null) {
            LockSupport.unpark(asleep);
        }
    }

    /** The next thing, null when there is none now; for the owner. */
    @Nullable Runnable poll() {
        return waiting.poll();
    }

    void close() {
        closed = true;
        waiting.clear();
    }
}
