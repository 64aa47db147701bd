package dev.perigee.gateway.outbound;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Unacknowledged records: how many, and the time of the last acknowledgement. Thread-safe. */
public final class Backlog {
    private final InstantSource clock;
    private int waiting;
    private Instant progress;

    /**
     * Snapshot of the backlog.
     *
     * @param since the last acknowledgement, or when the first of these began to wait; null when
     *     nothing waits
     */
    public record Held(int records, @Nullable Instant since) {}

    Backlog(InstantSource clock) {
        this.clock = clock;
        this.progress = clock.instant();
    }

    /** What waits now. */
    public synchronized Held held() {
        return new Held(waiting, waiting == 0 ? null : progress);
    }

    synchronized void begun() {
        if (waiting++ == 0) {
            progress = clock.instant();
        }
    }

    synchronized void ended() {
        waiting--;
        progress = clock.instant();
    }
}
