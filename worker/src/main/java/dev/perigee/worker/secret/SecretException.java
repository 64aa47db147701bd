package dev.perigee.worker.secret;

/**
 * A reference without a value. The message is for the user: it names the reference and says what to
 * do, never a value, a path of the worker or what a program said.
 */
public final class SecretException extends Exception {
    private static final long serialVersionUID = 1L;

    SecretException(String name, String why) {
        super("The secret '" + name + "' cannot be had: " + why, null, false, false);
    }
}
