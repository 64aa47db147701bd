package dev.perigee.testing.soak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * Plan of a run.
 *
 * @param duration storms are begun for so long, one at least
 * @param pace the time between two calls
 * @param directory for what is left of the run
 */
public record SoakPlan(long seed, Duration duration, Shape shape, Duration pace, Path directory) {

    /** The command that runs it once more. */
    String again() {
        return String.format(
                Locale.ROOT,
                "scripts/perigee nemesis --seed %d --minutes %s --gateways %d --workers %d --users %d"
                        + " --scale %s --pace %d",
                seed,
                number(duration.toSeconds() / 60.0),
                shape.gateways(),
                shape.workers(),
                shape.users(),
                number(shape.times().scale()),
                pace.toMillis());
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
