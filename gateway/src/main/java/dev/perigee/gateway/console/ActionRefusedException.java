package dev.perigee.gateway.console;

/** An action is not done; the message says why, and what to do, for people. */
final class ActionRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * @param status of HTTP
     */
    ActionRefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
