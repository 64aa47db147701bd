package dev.perigee.gateway.placement;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long a worker that is out of sight may still run a partition's processes: it must first
 * notice that its gateway is gone ({@code detection}), then it keeps the processes for its
 * retention, and its watchdog may need {@code margin} to end the last of them.
 *
 * @param unknownRetention taken for a worker that was never reached
 */
public record SafetyWindow(Duration detection, Duration unknownRetention, Duration margin) {
    /**
     * When the processes are surely dead.
     *
     * @param outOfSightSince when the last gateway that may have had the session was gone
     * @param retention the worker's announced retention; null when it was never reached
     */
    public Instant surelyDeadAt(Instant outOfSightSince, @Nullable Duration retention) {
        return outOfSightSince
                .plus(detection)
                .plus(retention == null ? unknownRetention : retention)
                .plus(margin);
    }
}
