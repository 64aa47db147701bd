package dev.perigee.protocol.access;

/** A server's challenge cannot be met; the message is for people and names no secret. */
public final class ScramException extends Exception {
    private static final long serialVersionUID = 1L;

    ScramException(String message) {
        super(message, null, false, false);
    }
}
