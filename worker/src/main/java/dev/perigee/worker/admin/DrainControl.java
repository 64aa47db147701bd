package dev.perigee.worker.admin;

import dev.perigee.worker.session.DrainProgress;
import java.time.Duration;

/** Operator-initiated drain of the worker. Any thread may call; nothing blocks. */
public interface DrainControl {
    String workerId();

    /**
     * Starts the drain, or extends the one under way.
     *
     * @param timeout after which the drain is overdue; partitions that are left then still leave
     */
    DrainProgress drain(Duration timeout);

    /** Takes it back; what left may come again. */
    DrainProgress undo();

    /** How far it is. */
    DrainProgress progress();
}
