package dev.perigee.gateway.console;

/** A login by a provider does not come about; the message has no secret. */
final class LoginRefusedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    LoginRefusedException(int status, String message) {
        super(status, message);
    }
}
