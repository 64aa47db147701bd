package dev.perigee.worker.instance;

import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic sweep over all instances of a worker that notifies those that seem idle. One timer for
 * all of them, which reads what they show and neither blocks nor decides: that is for each
 * instance's own thread, see {@link Dormancy}.
 */
final class IdleSweep {
    private static final Logger log = LoggerFactory.getLogger(IdleSweep.class);

    private final IdlePolicy policy;
    private final InstantSource clock;
    private final ScheduledExecutorService timers;
    private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean begun = new AtomicBoolean();

    /** Instance that is looked at. Must not block. */
    interface Watched {
        /** How its process is used, null when that may not be ended for want of use. */
        IdlePolicy.@Nullable Usage usage();

        /** It seems idle, and is to see for itself. */
        void seemsIdle();
    }

    IdleSweep(IdlePolicy policy, InstantSource clock, ScheduledExecutorService timers) {
        this.policy = policy;
        this.clock = clock;
        this.timers = timers;
    }

    /** Starts the timer, where idle processes are ended at all; once. */
    void begin() {
        if (policy.isEnabled() && begun.compareAndSet(false, true)) {
            long nanos = policy.checkInterval().toNanos();
            var _ = timers.scheduleWithFixedDelay(this::look, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** From now on the instance is looked at. */
    void watch(Watched instance) {
        watched.add(instance);
    }

    /** The instance has ended. */
    void forget(Watched instance) {
        watched.remove(instance);
    }

    private void look() {
        try {
            var now = clock.instant();
            for (var instance : watched) {
                var usage = instance.usage();
                if (usage != null && policy.isOver(usage, now)) {
                    instance.seemsIdle();
                }
            }
        } catch (RuntimeException e) {
            // Thrown on, it would be the last look.
            log.atError().setCause(e).log("Sweep for idle instances failed");
        }
    }
}
