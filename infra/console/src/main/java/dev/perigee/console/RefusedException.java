package dev.perigee.console;

/** Refusal of what was asked for; the message says why, and what to do, for people. */
abstract class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * @param status of HTTP
     */
    RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    final int status() {
        return status;
    }

    final String reason() {
        return String.valueOf(getMessage());
    }
}
