package dev.perigee.worker.instance;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many processes are in their first moments, which cost a processor, at the same time. A
 * slot is given back when the start ended or after a while: a server that is slow or mute costs
 * nothing then, and must not hold up others.
 */
final class StartSlots {
    /** Far beyond what starting all instances of a worker takes. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

    private final Semaphore slots;
    private final Duration hold;
    private final ScheduledExecutorService timers;

    StartSlots(int count, Duration hold, ScheduledExecutorService timers) {
        this.slots = new Semaphore(count, true);
        this.hold = hold;
        this.timers = timers;
    }

    /** A slot; giving it back twice counts once. */
    interface Slot extends AutoCloseable {
        @Override
        void close();
    }

    /** Waits for a slot, first come first served; null when there is none for minutes. */
    @Nullable Slot acquire() throws InterruptedException {
        if (!slots.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
            return null;
        }
        var free = new AtomicBoolean();
        Slot slot =
                () -> {
                    if (free.compareAndSet(false, true)) {
                        slots.release();
                    }
                };
        try {
            var _ = timers.schedule(slot::close, hold.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            slot.close(); // The worker is stopping: nothing is started any more.
        }
        return slot;
    }
}
