package dev.perigee.worker.instance;

import java.time.Duration;

/**
 * Rate limit of an instance's re-discoveries. The first is due at once; each further one doubles
 * the pause before the next, from 250 ms on, and every ten seconds take one doubling back, so that
 * a server that always changes its tools is asked six times a minute in the long run. A published
 * list or catalogue adds a pause in proportion to its size, 16 KiB a second. One that the server
 * refused is tried again seven times in four minutes, never sooner than the server asks. Pure, for
 * one thread; times are in terms of {@link System#nanoTime}.
 */
final class DiscoveryPace {
    private static final double FIRST_PAUSE_NANOS = Duration.ofMillis(250).toNanos();
    private static final double FORGET_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long NANOS_PER_BYTE = Duration.ofSeconds(1).toNanos() / (16 << 10);

    private static final long REFUSED_NANOS = Duration.ofSeconds(2).toNanos();
    private static final int MAX_REFUSALS = 8;

    private int refusals;
    private double doublings;
    private long beganNanos;
    private long dueNanos;

    /** A pace that no re-discovery has slowed down yet. */
    DiscoveryPace(long now) {
        beganNanos = now;
        dueNanos = now;
    }

    /** From when on the next re-discovery may begin; not after now where none has to wait. */
    long dueNanos() {
        return dueNanos;
    }

    /** A re-discovery begins. */
    void began(long now) {
        doublings = Math.max(0, doublings - (now - beganNanos) / FORGET_NANOS);
        beganNanos = now;
        postpone(now + (long) (FIRST_PAUSE_NANOS * Math.pow(2, doublings)));
        doublings++;
    }

    /** Tools or a catalogue of so many bytes were published. */
    void published(long bytes, long now) {
        postpone(now + bytes * NANOS_PER_BYTE);
    }

    /**
     * The server refused a re-discovery, and asks to be left alone for so long.
     *
     * @return false when that was so often that only its next announcement brings another
     */
    boolean refused(Duration asked, long now) {
        refusals = Math.min(refusals + 1, MAX_REFUSALS);
        postpone(now + Math.max(REFUSED_NANOS << (refusals - 1), asked.toNanos()));
        return refusals < MAX_REFUSALS;
    }

    /** A re-discovery brought the tools. */
    void listed() {
        refusals = 0;
    }

    private void postpone(long nanos) {
        if (nanos - dueNanos > 0) {
            dueNanos = nanos;
        }
    }
}
