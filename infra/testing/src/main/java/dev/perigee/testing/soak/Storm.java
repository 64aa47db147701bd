package dev.perigee.testing.soak;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Faults that overlap, after which all heals.
 *
 * @param number counted from 1
 * @param steps in the order in which they begin
 */
public record Storm(int number, List<TimedFault> steps) {
    public Storm {
        steps = List.copyOf(steps);
    }

    @Override
    public String toString() {
        return steps.stream()
                .map(step -> "  " + step)
                .collect(Collectors.joining("\n", "storm " + number + ":\n", ""));
    }
}
