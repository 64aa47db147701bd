package dev.perigee.local.fleet;

/** A part did not become ready. Its own message, if any, is in its log. */
public final class PartFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PartFailedException(String message) {
        super(message);
    }
}
