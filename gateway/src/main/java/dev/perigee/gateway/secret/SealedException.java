package dev.perigee.gateway.secret;

/** A sealed value cannot be opened. The message says why and what to do, and holds no secret. */
public final class SealedException extends Exception {
    private static final long serialVersionUID = 1L;

    SealedException(String message) {
        super(message);
    }
}
