package dev.perigee.console;

/** Refusal of a login by a provider; the message has no secret. */
final class LoginRefusedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    LoginRefusedException(int status, String message) {
        super(status, message);
    }
}
