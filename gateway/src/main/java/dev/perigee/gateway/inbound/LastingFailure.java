package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Says what goes wrong when it begins, when it becomes something else and every few minutes while
 * it lasts, not at each attempt. It is over when it has gone well for a few seconds: what goes
 * wrong at every other attempt goes wrong. For one thread; {@link #reason} any thread.
 */
public final class LastingFailure {
    private static final long AGAIN = Duration.ofMinutes(5).toNanos();

    private static final long WELL = Duration.ofSeconds(5).toNanos();

    private final Logger log;
    private volatile @Nullable String reason;
    private long saidAt;
    private long failedAt;

    public LastingFailure(Logger log) {
        this.log = log;
    }

    /** It went wrong once more. */
    public void failed(String message, Exception cause) {
        var now = cause.toString();
        failedAt = System.nanoTime();
        if (!Objects.equals(now, reason) || System.nanoTime() - saidAt > AGAIN) {
            saidAt = System.nanoTime();
            log.atWarn().addKeyValue("cause", now).log(message);
            log.atDebug().setCause(cause).log(message);
        }
        reason = now;
    }

    /** It went well. */
    public void over() {
        if (reason != null && System.nanoTime() - failedAt > WELL) {
            log.atInfo().addKeyValue("cause", reason).log("Recovered from failure");
            reason = null;
        }
    }

    /** What goes wrong now, null when nothing does. */
    public @Nullable String reason() {
        return reason;
    }
}
