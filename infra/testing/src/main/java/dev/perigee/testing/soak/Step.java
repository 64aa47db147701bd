package dev.perigee.testing.soak;

import java.time.Duration;

/**
 * A fault and its time.
 *
 * @param at counted from the begin of the soak; never before the step before is over
 */
public record Step(Duration at, Fault fault) {
    @Override
    public String toString() {
        return "%5.1f s %s".formatted(at.toMillis() / 1000.0, fault);
    }
}
