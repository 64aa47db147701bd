package dev.perigee.worker.session;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Clock that begins with the time of a wall clock and goes on evenly, whatever that is set to.
 * Deadlines are by it: a wall clock that is set right must not end sessions that are held, nor keep
 * those that are not. Safe for use by any thread.
 */
final class SteadyClock implements InstantSource {
    private final Instant begin;
    private final long beginNanos;
    private final LongSupplier nanos;

    /**
     * @param nanos a clock in nanoseconds that never goes back
     */
    SteadyClock(InstantSource wall, LongSupplier nanos) {
        this.nanos = nanos;
        this.begin = wall.instant();
        this.beginNanos = nanos.getAsLong();
    }

    @Override
    public Instant instant() {
        return begin.plusNanos(nanos.getAsLong() - beginNanos);
    }
}
