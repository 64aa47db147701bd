package dev.perigee.worker.admin;

import dev.perigee.worker.session.DrainProgress;
import java.time.Duration;

/** Drains the worker at an operator's wish. Any thread may call; nothing blocks. */
public interface DrainControl {
    String workerId();

    /**
     * Asks gateways to move everything away, or goes on with it.
     *
     * @param timeout until when that is hoped for; what is left then goes on leaving
     */
    DrainProgress drain(Duration timeout);

    /** Takes it back; what left may come again. */
    DrainProgress undo();

    /** How far it is. */
    DrainProgress progress();
}
