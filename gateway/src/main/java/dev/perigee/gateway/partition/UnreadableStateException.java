package dev.perigee.gateway.partition;

/** A partition's state is there and cannot be read; the message says why and holds no secret. */
final class UnreadableStateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableStateException(String message) {
        super(message);
    }
}
