package dev.perigee.gateway.outbound;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Rate-limited warnings: at most one line in ten seconds, with how many there were since the last,
 * and not one for each of thousands of records while a broker is away. Thread-safe.
 */
final class RateLimitedWarnings {
    private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

    private final Logger log;
    private final AtomicLong next = new AtomicLong(System.nanoTime());
    private final AtomicLong suppressed = new AtomicLong();

    RateLimitedWarnings(Logger log) {
        this.log = log;
    }

    void log(String topic, String message, @Nullable Exception cause) {
        long now = System.nanoTime();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + INTERVAL)) {
            suppressed.incrementAndGet();
            return;
        }
        log.atWarn()
                .addKeyValue("topic", topic)
                .addKeyValue("cause", String.valueOf(cause))
                .addKeyValue("since_last", suppressed.getAndSet(0))
                .log(message);
    }
}
