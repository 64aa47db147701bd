package dev.perigee.worker.instance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots for processes in their first moments, which cost a processor. A slot is released when the
 * start ends, or after a while: a server that is slow or mute costs nothing then, and must not hold
 * up others. {@link StartQueue} has the order. Safe for use by any thread; a start waits for five
 * minutes at most.
 */
final class StartSlots {
    /** Far beyond what starting all instances of a worker takes. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

    private static final Logger log = LoggerFactory.getLogger(StartSlots.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final StartQueue<Turn> queue;
    private final Duration hold;
    private final ScheduledExecutorService timers;

    StartSlots(int count, Duration hold, ScheduledExecutorService timers) {
        this.queue = new StartQueue<>(count, hold);
        this.hold = hold;
        this.timers = timers;
    }

    /** A slot; giving it back twice counts once. */
    interface Slot extends AutoCloseable {
        @Override
        void close();
    }

    private static final class Turn extends StartQueue.Start {
        private final CountDownLatch came = new CountDownLatch(1);

        Turn(StartQueue.Owner owner, BooleanSupplier awaited) {
            super(owner, awaited);
        }
    }

    /**
     * Waits for a slot; null when there is none for minutes.
     *
     * @param awaited whether a call waits for the start now; asked under a lock, so it is quick
     */
    @Nullable Slot acquire(StartQueue.Owner owner, BooleanSupplier awaited)
            throws InterruptedException {
        var turn = new Turn(owner, awaited);
        look(() -> queue.enter(turn));
        boolean came = false;
        try {
            came = turn.came.await(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            if (!came) {
                leave(turn);
            }
        }
        return came ? () -> leave(turn) : null;
    }

    private void leave(Turn turn) {
        look(() -> queue.leave(turn));
    }

    /** After a change: whose turn came. */
    private void look(Runnable change) {
        var begun = new ArrayList<Turn>();
        lock.lock();
        try {
            change.run();
            Turn next;
            while ((next = queue.next(System.nanoTime())) != null) {
                begun.add(next);
            }
        } finally {
            lock.unlock();
        }
        begin(begun);
    }

    private void begin(List<Turn> begun) {
        for (var turn : begun) {
            turn.came.countDown();
            try {
                lookAfter(queue.yieldsAfter());
                lookAfter(hold);
            } catch (RejectedExecutionException e) {
                // The worker is stopping: a waiting start is interrupted when its instance ends.
                log.atDebug().setCause(e).log("Slot not released on time: the worker is stopping");
            }
        }
    }

    private void lookAfter(Duration time) {
        var _ = timers.schedule(() -> look(() -> {}), time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
