package dev.perigee.faults;

import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** Abort of a test that lacks something of the machine. */
public final class Skipped {
    private Skipped() {}

    /**
     * Aborts the test that runs, or fails it where the variable says that what it needs is there.
     *
     * @param reason one line, which begins with "needs"
     * @param variable 1, or the path of what is needed
     */
    public static void because(String reason, String variable) {
        because(reason, variable, System.getenv(variable));
    }

    static void because(String reason, String variable, @Nullable String value) {
        if (requires(value)) {
            throw new AssertionError("%s=%s: %s".formatted(variable, value, reason));
        }
        throw new TestAbortedException("skipped: " + reason);
    }

    static boolean isRequired(String variable) {
        return requires(System.getenv(variable));
    }

    private static boolean requires(@Nullable String value) {
        return value != null && (value.equals("1") || value.startsWith("/"));
    }
}
