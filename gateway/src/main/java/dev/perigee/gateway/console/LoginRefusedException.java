package dev.perigee.gateway.console;

/** A login by a provider does not come about; the message says why, for people, and no secret. */
final class LoginRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * @param status of HTTP
     */
    LoginRefusedException(int status, String message) {
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
