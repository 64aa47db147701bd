package dev.perigee.gateway.deadletter;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of one letter.
 *
 * @param outcome {@code redriven}, {@code refused}, or of a dry run {@code would_redrive}
 * @param to where it was put back, {@code topic-partition@offset}, of a dry run without offset
 * @param why it was refused
 */
public record Redriven(Letter letter, String outcome, @Nullable String to, @Nullable String why) {
    public static final String DONE = "redriven";
    public static final String REFUSED = "refused";
    public static final String WOULD = "would_redrive";

    /** Whether it stays where it is for a reason. */
    public boolean isRefused() {
        return outcome.equals(REFUSED);
    }
}
