package dev.perigee.gateway.quarantine;

import java.time.Instant;

/** Standing of an installation: whether it may run. */
public sealed interface Standing {
    /** It runs as its user wants. */
    record Free() implements Standing {}

    /**
     * It starts alone, when its turn comes.
     *
     * @param from not before then
     * @param message for its user
     */
    record Waits(Instant from, String message) implements Standing {}

    /**
     * It does not run until a command of its user.
     *
     * @param message for its user
     */
    record Held(String message) implements Standing {}
}
