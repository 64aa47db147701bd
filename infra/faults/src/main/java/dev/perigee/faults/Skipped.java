package dev.perigee.faults;

import org.opentest4j.TestAbortedException;

/** How a test ends that lacks something of the machine. */
public final class Skipped {
    private Skipped() {}

    /**
     * Aborts the test that runs, or fails it where the variable is 1.
     *
     * @param reason one line, which begins with "needs"
     */
    public static void because(String reason, String variable) {
        if (isRequired(variable)) {
            throw new AssertionError("%s=1: %s".formatted(variable, reason));
        }
        throw new TestAbortedException("skipped: " + reason);
    }

    static boolean isRequired(String variable) {
        return "1".equals(System.getenv(variable));
    }
}
