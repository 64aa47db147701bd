package dev.perigee.worker.mcp;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts of messages exchanged with a server, over all its processes. A server's notifications are
 * no activity. Safe for use by any thread.
 */
public final class ServerMetrics {
    private final LongAdder messages = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final InstantSource clock;
    private volatile @Nullable Instant lastActivity;

    /** Metrics that take the time from the clock. */
    public ServerMetrics(InstantSource clock) {
        this.clock = clock;
    }

    void sent() {
        messages.increment();
        lastActivity = clock.instant();
    }

    void answered() {
        lastActivity = clock.instant();
    }

    void failed() {
        errors.increment();
    }

    /** Requests sent to the server. */
    public long messageCount() {
        return messages.sum();
    }

    /** Requests that failed for want of an answer: timeouts, crashes, write errors. */
    public long errorCount() {
        return errors.sum();
    }

    /** The last request or response, null when there was none. */
    public @Nullable Instant lastActivityAt() {
        return lastActivity;
    }
}
