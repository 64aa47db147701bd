package dev.perigee.testing.soak;

import java.time.Duration;

/**
 * A fault and its time.
 *
 * @param at counted from the begin of its storm
 */
public record TimedFault(Duration at, Fault fault) {
    Duration end() {
        return at.plus(fault.lasts());
    }

    @Override
    public String toString() {
        return "%5.1f s %s".formatted(at.toMillis() / 1000.0, fault);
    }
}
