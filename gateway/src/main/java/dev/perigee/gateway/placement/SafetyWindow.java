package dev.perigee.gateway.placement;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Time for which an unreachable worker may still run a partition's processes: it keeps them for its
 * retention after the last gateway held them, and its watchdog may need {@code margin} to end the
 * last of them. This gateway held them until the worker noticed that it is gone ({@code
 * detection}); another one, which may still be connected there, until its lease was over, which the
 * group confirmed for the last time before it gave the partition to this one.
 *
 * @param lease how long a worker holds sessions for a gateway that does not hear from its group
 * @param unknownRetention taken for a worker that was never reached
 */
public record SafetyWindow(
        Duration detection, Duration lease, Duration unknownRetention, Duration margin) {
    /**
     * When the processes are surely dead.
     *
     * @param goneSince when this gateway's last connection to the worker ended; null when there was
     *     none
     * @param retention the worker's announced retention; null when it was never reached
     */
    public Instant surelyDeadAt(
            LastHeld held, @Nullable Instant goneSince, @Nullable Duration retention) {
        var byThis = goneSince == null ? held.byThis() : later(goneSince, held.byThis());
        var letGo = byThis.plus(detection);
        if (held.byOthers() != null) {
            letGo = later(letGo, held.byOthers().plus(lease));
        }
        return letGo.plus(retention == null ? unknownRetention : retention).plus(margin);
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
