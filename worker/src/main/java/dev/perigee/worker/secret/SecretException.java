package dev.perigee.worker.secret;

/**
 * A reference without a value. The message is for the user: it names the reference and says what to
 * do, never a value, a path of the worker or what a program said.
 */
public final class SecretException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean outage;

    /** A secret that is not there, or cannot be one. */
    SecretException(String name, String why) {
        this(text(name, why), false);
    }

    private SecretException(String message, boolean outage) {
        super(message, null, false, false);
        this.outage = outage;
    }

    private static String text(String name, String why) {
        return "The secret '" + name + "' cannot be had: " + why;
    }

    /** A provider that did not answer, or not with a secret: there may be one all the same. */
    static SecretException outage(String name, String why) {
        return new SecretException(text(name, why), true);
    }

    /** All secrets of a configuration, for a reason that none of them has alone. */
    static SecretException ofAll(String why) {
        return new SecretException(textOfAll(why), false);
    }

    /** The same, where nobody answered. */
    static SecretException outageOfAll(String why) {
        return new SecretException(textOfAll(why), true);
    }

    private static String textOfAll(String why) {
        return "The secrets of this server cannot be had: " + why;
    }

    /** Whether nothing is known of the secret but that its provider is away. */
    public boolean isOutage() {
        return outage;
    }
}
