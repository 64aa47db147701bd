package dev.perigee.worker.instance;

import java.time.Duration;

/**
 * Rate limit of the status changes that a server causes by failing and coming back. Two within five
 * minutes are free; each further one is due a pause after the last. Pure, for one thread; times are
 * in terms of {@link System#nanoTime}.
 */
final class FlapDamping {
    private static final long WINDOW_NANOS = Duration.ofMinutes(5).toNanos();

    private final long pauseNanos;
    private long lastNanos;
    private long lastButOneNanos;

    /**
     * A server that has not changed yet.
     *
     * @param pause zero for no limit
     */
    FlapDamping(Duration pause, long now) {
        this.pauseNanos = pause.toNanos();
        this.lastNanos = now - WINDOW_NANOS;
        this.lastButOneNanos = lastNanos;
    }

    /** How long the next change has to wait, in nanoseconds; not positive where it need not. */
    long waitNanos(long now) {
        boolean flapping = now - lastButOneNanos < WINDOW_NANOS;
        return flapping ? lastNanos + pauseNanos - now : 0;
    }

    /** A change happens now. */
    void changed(long now) {
        lastButOneNanos = lastNanos;
        lastNanos = now;
    }
}
