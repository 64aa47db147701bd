package dev.perigee.gateway.link;

import java.time.Instant;

/**
 * The time by a clock that nobody sets: the system's at the start of this process, and from then on
 * as much later as time went by. What decides when processes are surely dead is measured by it, so
 * that a system clock that is put right meanwhile makes no wait shorter. Any thread may call.
 */
public final class SteadyTime {
    @SuppressWarnings("TimeInStaticInitializer") // From then on no clock is asked.
    private static final Instant BEGIN = Instant.now();

    private static final long BEGIN_NANOS = System.nanoTime();

    private SteadyTime() {}

    /** Compared with no other clock. */
    public static Instant now() {
        return BEGIN.plusNanos(System.nanoTime() - BEGIN_NANOS);
    }
}
