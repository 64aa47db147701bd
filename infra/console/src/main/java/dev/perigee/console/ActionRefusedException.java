package dev.perigee.console;

/** Refusal of an action. */
final class ActionRefusedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    ActionRefusedException(int status, String message) {
        super(status, message);
    }
}
