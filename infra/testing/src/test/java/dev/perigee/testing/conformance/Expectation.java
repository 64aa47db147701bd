package dev.perigee.testing.conformance;

import java.util.Set;

/** What is said of a scenario before it runs. */
sealed interface Expectation {

    /** It applies, and all its checks pass. */
    record Passes() implements Expectation {}

    /**
     * It applies, and these checks fail, no others.
     *
     * @param checks ids of the suite's
     * @param why for readers of the page
     */
    record Fails(Set<String> checks, String why) implements Expectation {}

    /** It is about something that is not there; it does not pass, however it fails. */
    record Unsupported(String why) implements Expectation {}

    /** Whether it is among those that each run tries, rather than the long lane. */
    default boolean applies() {
        return !(this instanceof Unsupported);
    }

    /** Whether it was as it was said. */
    default boolean isMet(Verdict verdict) {
        return switch (this) {
            case Passes _ -> verdict.holds() && !verdict.passed().isEmpty();
            case Fails(var checks, _) -> !verdict.holds() && verdict.failed().equals(checks);
            case Unsupported _ -> !verdict.holds();
        };
    }
}
