package dev.perigee.testing.soak;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Faults that overlap, after which all heals.
 *
 * @param number counted from 1
 * @param steps in the order in which they begin
 */
public record Storm(int number, List<Step> steps) {
    public Storm {
        steps = List.copyOf(steps);
    }

    /** How long its faults last together. */
    Duration lasts() {
        return steps.stream().map(Step::end).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    @Override
    public String toString() {
        return steps.stream()
                .map(step -> "  " + step)
                .collect(Collectors.joining("\n", "storm " + number + ":\n", ""));
    }
}
