package dev.perigee.testkit;

/**
 * A fleet did not start, or a part again; the message has the last log lines of its parts and what
 * to do.
 */
public final class FleetStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FleetStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
