package dev.perigee.worker.secret;

/**
 * A reference without a value. The message is for the user: it names the reference and says what to
 * do, never a value, a path of the worker or what a program said.
 */
public final class SecretException extends Exception {
    private static final long serialVersionUID = 1L;

    SecretException(String name, String why) {
        this("The secret '" + name + "' cannot be had: " + why);
    }

    private SecretException(String message) {
        super(message, null, false, false);
    }

    /** All secrets of a configuration, for a reason that none of them has alone. */
    static SecretException ofAll(String why) {
        return new SecretException("The secrets of this server cannot be had: " + why);
    }
}
