package dev.perigee.worker.session;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expiry of sessions: one virtual thread that sleeps until the earliest deadline, a minute at most.
 * It knows no session; which are due is decided at each wake-up, so an old deadline cannot end
 * anything.
 */
final class SessionReaper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SessionReaper.class);
    private static final Duration LONGEST_SLEEP = Duration.ofMinutes(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final Supplier<@Nullable Instant> look;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean dirty;
    private boolean closed;

    /**
     * A reaper that is not started.
     *
     * @param look ends what is due and says when the next is, null when none is
     */
    SessionReaper(InstantSource clock, Supplier<@Nullable Instant> look) {
        this.clock = clock;
        this.look = look;
    }

    void start() {
        Thread.ofVirtual().name("session-reaper").start(this::run);
    }

    /** A deadline was set. */
    void reconsider() {
        lock.lock();
        try {
            dirty = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (sleep(untilNext())) {
                // The next look is what untilNext does.
            }
        } catch (InterruptedException e) {
            log.atWarn().log("Interrupted: sessions expire at attach only");
        }
    }

    private Duration untilNext() {
        try {
            var next = look.get();
            return next == null ? LONGEST_SLEEP : Duration.between(clock.instant(), next);
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Ending an expired session failed; retrying");
            return AFTER_FAILURE;
        }
    }

    private boolean sleep(Duration time) throws InterruptedException {
        lock.lock();
        try {
            // A millisecond more than left: clocks of different resolution must not make it spin.
            long nanos = Math.min(time.plusMillis(1).toNanos(), LONGEST_SLEEP.toNanos());
            while (!dirty && !closed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            dirty = false;
            return !closed;
        } finally {
            lock.unlock();
        }
    }
}
